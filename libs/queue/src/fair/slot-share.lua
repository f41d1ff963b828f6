local RECENT_MS = 60000

-- slotShare(prefix, free, rules): the bound of the slots that the jobs of one tenant may hold in a queue where others have work, or had it in the
-- last minute. Returns nil without such a bound, or if it cannot be reached now. Reads each running job otherwise: O(slots).
-- The result has:
--   most                            an upper limit of the tenants that can be at the bound at the same time. A round passes these over, and therefore
--                                   reads so many tenants more than it serves
--   isReached(tenant, othersWait)   whether the tenant is at the bound, and others wait, run jobs or had work in the last minute
--   count(tenant)                   counts one more running job of the tenant
local function slotShare(prefix, free, rules)
  if rules.maxShare >= 1 or rules.slots < 1 then return nil end
  local bound = math.max(1, math.ceil(rules.slots * rules.maxShare))
  if redis.call('LLEN', prefix .. 'active') + free <= bound then return nil end
  local running, seen = {}, {}
  for _, id in ipairs(redis.call('LRANGE', prefix .. 'active', 0, -1)) do
    local _, tenant = partsOfLane(redis.call('HGET', prefix .. id, '${field.lane}') or DEFAULT_LANE)
    seen[tenant] = true
    if id ~= rules.ending then running[tenant] = (running[tenant] or 0) + 1 end
  end
  for _, tenant in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'fair:seen', rules.now - RECENT_MS, '+inf')) do seen[tenant] = true end
  local function hasOthers(tenant)
    for other in pairs(seen) do
      if other ~= tenant then return true end
    end
    return false
  end
  return {
    most = math.ceil(1 / rules.maxShare) + 1,
    isReached = function(tenant, othersWait) return (running[tenant] or 0) >= bound and (othersWait or hasOthers(tenant)) end,
    count = function(tenant)
      running[tenant] = (running[tenant] or 0) + 1
      seen[tenant] = true
    end,
  }
end

-- noteWork(prefix, lane, rules): records that the tenant of a job had work now, for the bound above.
local function noteWork(prefix, lane, rules)
  if rules.maxShare >= 1 then return end
  local _, tenant = partsOfLane(lane)
  redis.call('ZADD', prefix .. 'fair:seen', rules.now, tenant)
  redis.call('ZREMRANGEBYSCORE', prefix .. 'fair:seen', '-inf', rules.now - RECENT_MS)
end
