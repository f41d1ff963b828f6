-- @include lanes.lua
-- @include ring.lua

-- countLeft(base): counts a job that has left its lane. `put` minus `left` is the number of waiting jobs. Both begin again when none waits.
local function countLeft(base, isEmpty)
  if isEmpty and redis.call('EXISTS', base .. 'levels') == 0 then redis.call('DEL', base .. 'put', base .. 'left')
  else redis.call('INCR', base .. 'left') end
end

-- removeFromRing(prefix, lane, id): removes a waiting job. Returns 1, or 0 if it is not in the lane. O(log n).
local function removeFromRing(prefix, lane, id)
  local base = prefix .. 'fair:'
  local jobs = base .. 'lane:' .. lane
  if redis.call('ZREM', jobs, id) == 0 then return 0 end
  local level, tenant, key = partsOfLane(lane)
  local isEmpty = redis.call('EXISTS', jobs) == 0
    and leaveRing(base, level .. ':' .. tenant, key)
    and leaveRing(base, level, tenant)
  if isEmpty then redis.call('ZREM', base .. 'levels', level) end
  countLeft(base, isEmpty)
  return 1
end
