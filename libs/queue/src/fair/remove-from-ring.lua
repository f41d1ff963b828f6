-- @include lanes.lua
-- @include ring.lua
-- @include count-waiting.lua

-- countLeft(base, counts): counts the jobs of each tenant that have left its lanes. `put` minus `left` is the number of waiting jobs. All counts
-- begin again when none waits.
local function countLeft(base, counts)
  if redis.call('EXISTS', base .. 'levels') == 0 then
    redis.call('DEL', base .. 'put', base .. 'left', base .. 'tenants')
    return
  end
  local sum, changes = 0, {}
  for tenant, count in pairs(counts) do sum, changes[tenant] = sum + count, -count end
  countOfTenants(base, changes)
  redis.call('INCRBY', base .. 'left', sum)
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
  countLeft(base, { [tenant] = 1 })
  return 1
end
