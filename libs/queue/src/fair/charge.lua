-- @include lanes.lua
-- @include ring.lua
-- The slot time of a job besides its run (ms), the part of the newest job in the mean, the bounds of a cost, and the life of the mean (s).
local OVERHEAD_MS, NEWEST, LEAST, MOST = 5, 1 / 32, 0.1, 10
local MEAN_SECONDS = 3600

-- chargeAll(prefix, held): corrects what the admission of jobs cost (1 each) by the time for which they held their slots, against the mean of
-- the queue: 0.1 to 10. Each job also needs a slot while it is taken and stored, so that differences of a few ms count little. While nobody
-- waits, there is nobody to be fair to. `held`: a list of { lane, ms }.
local function chargeAll(prefix, held)
  local base, rings = prefix .. 'fair:', {}
  if #held == 0 or redis.call('EXISTS', base .. 'levels') == 0 then return end
  local mean = tonumber(redis.call('GET', base .. 'mean'))
  local function add(ring, member, step)
    rings[ring] = rings[ring] or {}
    rings[ring][member] = (rings[ring][member] or 0) + step
  end
  local lanes, tenants = {}, {}
  for n, each in ipairs(held) do
    lanes[n] = { partsOfLane(each.lane) }
    tenants[n] = lanes[n][2]
  end
  readWeights(tenants)
  for n, each in ipairs(held) do
    local ms = math.max(0, each.ms) + OVERHEAD_MS
    mean = mean or ms
    local step = math.min(math.max(ms / mean, LEAST), MOST) - 1
    mean = mean + (ms - mean) * NEWEST
    local level, tenant, key = unpack(lanes[n])
    add(level .. ':' .. tenant, key, step)
    add(level, tenant, step / weightOf(tenant))
  end
  redis.call('SET', base .. 'mean', mean, 'EX', MEAN_SECONDS)
  for ring, steps in pairs(rings) do chargeInRing(base, ring, steps) end
end

-- chargeRelease(prefix, id, now): charges a job that gives its slot up before its end, for a retry or for a wait. Its next start costs 1 again.
local function chargeRelease(prefix, id, now)
  local started, lane = unpack(redis.call('HMGET', prefix .. id, 'processedOn', '${field.lane}'))
  if started then chargeAll(prefix, { { lane = lane or DEFAULT_LANE, ms = now - started } }) end
end
