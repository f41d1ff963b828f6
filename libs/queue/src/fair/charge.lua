-- @include lanes.lua
-- @include ring.lua
-- @include put-in-ring.lua
-- The slot time of a job besides its run (ms), the part of the newest job in the mean, the bounds of a cost, and the life of the mean (s).
local OVERHEAD_MS, NEWEST, LEAST, MOST = 5, 1 / 32, 0.1, 10
local MEAN_SECONDS = 3600

-- chargeLanes(base, lanes, steps): corrects the virtual times of the tenants of lanes, and those of their keys, by the step of each lane.
local function chargeLanes(base, lanes, steps)
  local levels, tenants, keys, rings, names = {}, {}, {}, {}, {}
  for n, lane in ipairs(lanes) do
    levels[n], tenants[n], keys[n] = partsOfLane(lane)
    rings[n] = levels[n] .. ':' .. tenants[n]
    names[n] = base .. 'ring:' .. rings[n]
  end
  readWeights(tenants)
  local changes = {}
  local function add(ring, member, step)
    changes[ring] = changes[ring] or {}
    changes[ring][member] = (changes[ring][member] or 0) + step
  end
  -- A tenant without a waiting job has no ring. With many tenants, that is most of them.
  local someWait = redis.call('EXISTS', unpack(names)) > 0
  for n, lane in ipairs(lanes) do
    if someWait then add(rings[n], keys[n], steps[lane]) end
    add(levels[n], tenants[n], steps[lane] / weightOf(tenants[n]))
  end
  for ring, of in pairs(changes) do chargeInRing(base, ring, of) end
end

-- chargeAll(prefix, held): corrects what the admission of jobs cost (1 each) by the time for which they held their slots, against the mean of
-- the queue: 0.1 to 10. Each job also needs a slot while it is taken and stored, so that differences of a few ms count little. While nobody
-- waits, there is nobody to be fair to. `held`: a list of { lane, ms }.
local function chargeAll(prefix, held)
  local base, steps, lanes = prefix .. 'fair:', {}, {}
  if #held == 0 or not openLanes(prefix, held) then return end
  local mean = tonumber(redis.call('GET', base .. 'mean'))
  for _, each in ipairs(held) do
    local ms = math.max(0, each.ms) + OVERHEAD_MS
    mean = mean or ms
    if not steps[each.lane] then lanes[#lanes + 1] = each.lane end
    steps[each.lane] = (steps[each.lane] or 0) + math.min(math.max(ms / mean, LEAST), MOST) - 1
    mean = mean + (ms - mean) * NEWEST
  end
  redis.call('SET', base .. 'mean', mean, 'EX', MEAN_SECONDS)
  chargeLanes(base, lanes, steps)
end

-- chargeRelease(prefix, id, now): charges a job that gives its slot up before its end, for a retry or for a wait. Its next start costs 1 again.
local function chargeRelease(prefix, id, now)
  local started, lane = unpack(redis.call('HMGET', prefix .. id, 'processedOn', '${field.lane}'))
  if started then chargeAll(prefix, { { lane = lane or DEFAULT_LANE, ms = now - started } }) end
end
