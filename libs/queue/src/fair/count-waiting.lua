-- countInRing(prefix): the number of jobs in all lanes of a queue.
local function countInRing(prefix)
  local put, left = unpack(redis.call('MGET', prefix .. 'fair:put', prefix .. 'fair:left'))
  return math.max(0, (tonumber(put) or 0) - (tonumber(left) or 0))
end

-- countOfTenants(base, changes): counts jobs that have come to the lanes of each tenant (above 0), or have left them (below 0).
local function countOfTenants(base, changes)
  local counts, tenants, kept, gone = base .. 'tenants', {}, {}, {}
  for tenant in pairs(changes) do tenants[#tenants + 1] = tenant end
  -- Most calls have jobs of one tenant only. One command is then enough.
  if #tenants == 1 then
    if redis.call('HINCRBY', counts, tenants[1], changes[tenants[1]]) < 1 then redis.call('HDEL', counts, tenants[1]) end
    return
  end
  for n, count in ipairs(redis.call('HMGET', counts, unpack(tenants))) do
    local tenant = tenants[n]
    local now = (tonumber(count) or 0) + changes[tenant]
    if now < 1 then gone[#gone + 1] = tenant
    else
      kept[#kept + 1] = tenant
      kept[#kept + 1] = now
    end
  end
  if #kept > 0 then redis.call('HSET', counts, unpack(kept)) end
  if #gone > 0 then redis.call('HDEL', counts, unpack(gone)) end
end
