-- @include lanes.lua
-- @include ring.lua
-- The slot time of a job besides its run (ms), the part of the newest job in the mean, the bounds of a cost, and the life of the mean (s).
local OVERHEAD_MS, NEWEST, LEAST, MOST = 5, 1 / 32, 0.1, 10
local MEAN_SECONDS = 3600

-- isLaneAlone(prefix, lane): whether no other lane waits beside this one. Such a lane pays nothing.
local function isLaneAlone(prefix, lane)
  local base = prefix .. 'fair:'
  local level, tenant, key = partsOfLane(lane)
  local first, second = unpack(redis.call('ZRANGE', base .. 'ring:' .. level, 0, 1))
  if not first then return true end
  if first ~= tenant or second then return false end
  local only, other = unpack(redis.call('ZRANGE', base .. 'ring:' .. level .. ':' .. tenant, 0, 1))
  return only == key and not other
end

-- chargeTime(prefix, lane, ms): corrects what the admission of a job cost (1) by the time for which it held its slot, against the mean of the
-- queue: 0.1 to 10. Each job also needs a slot while it is taken and stored, so that differences of a few ms count little.
local function chargeTime(prefix, lane, ms)
  local base = prefix .. 'fair:'
  local level, tenant, key = partsOfLane(lane)
  local held = math.max(0, ms) + OVERHEAD_MS
  local mean = tonumber(redis.call('GET', base .. 'mean')) or held
  redis.call('SET', base .. 'mean', mean + (held - mean) * NEWEST, 'EX', MEAN_SECONDS)
  local step = math.min(math.max(held / mean, LEAST), MOST) - 1
  if step == 0 then return end
  chargeInRing(base, level .. ':' .. tenant, key, step)
  chargeInRing(base, level, tenant, step / weightOf(tenant))
end

-- chargeEnd(prefix, lane, ms): charges the time of an ended job.
local function chargeEnd(prefix, lane, ms)
  if not isLaneAlone(prefix, lane) then chargeTime(prefix, lane, ms) end
end

-- chargeRelease(prefix, id, now): charges a job that gives its slot up before its end, for a retry or for a wait. Its next start costs 1 again.
local function chargeRelease(prefix, id, now)
  local started, lane = unpack(redis.call('HMGET', prefix .. id, 'processedOn', '${field.lane}'))
  if started then chargeEnd(prefix, lane or DEFAULT_LANE, now - started) end
end
