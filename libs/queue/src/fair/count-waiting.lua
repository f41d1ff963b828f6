-- countInRing(prefix): the number of jobs in all lanes of a queue.
local function countInRing(prefix)
  local put, left = unpack(redis.call('MGET', prefix .. 'fair:put', prefix .. 'fair:left'))
  return math.max(0, (tonumber(put) or 0) - (tonumber(left) or 0))
end

-- countOfTenant(base, tenant, change): counts jobs that have come to the lanes of the tenant (above 0), or have left them (below 0).
local function countOfTenant(base, tenant, change)
  local counts = base .. 'tenants'
  if redis.call('HINCRBY', counts, tenant, change) < 1 then redis.call('HDEL', counts, tenant) end
end
