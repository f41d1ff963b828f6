-- countInRing(prefix): the number of jobs in all lanes of a queue.
local function countInRing(prefix)
  local put, left = unpack(redis.call('MGET', prefix .. 'fair:put', prefix .. 'fair:left'))
  return math.max(0, (tonumber(put) or 0) - (tonumber(left) or 0))
end

-- countOfTenant(base, tenant, change): counts a job that has come to a lane of the tenant (1) or has left it (-1).
local function countOfTenant(base, tenant, change)
  local counts = base .. 'tenants'
  if redis.call('HINCRBY', counts, tenant, change) < 1 then redis.call('HDEL', counts, tenant) end
end
