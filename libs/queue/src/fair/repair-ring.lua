-- Corrects the rings and the counts of a queue after keys were changed by hand: members without waiting jobs leave, and the counts are taken
-- anew. Wakes a consumer if jobs wait. A queue with more than 20,000 lanes is left as it is.
--
-- KEYS: 1 prefix of the queue's keys
-- Result: the number of waiting jobs in lanes, the number of removed members, and by how much the count was wrong; -1 each for too many lanes
-- @include ring.lua
-- @include count-waiting.lua
local MOST = 20000
local prefix = KEYS[1]
local base = prefix .. 'fair:'
local sum, removed, looked = 0, 0, 0
local counts = {}
local function each(ring, act)
  for _, member in ipairs(redis.call('ZRANGE', ring, 0, MOST)) do
    looked = looked + 1
    if looked > MOST then return end
    act(member)
  end
end
for _, level in ipairs(redis.call('ZRANGE', base .. 'levels', 0, -1)) do
  each(base .. 'ring:' .. level, function(tenant)
    local name = level .. ':' .. tenant
    each(base .. 'ring:' .. name, function(key)
      local size = redis.call('ZCARD', base .. 'lane:' .. name .. ':' .. key)
      sum = sum + size
      counts[tenant] = (counts[tenant] or 0) + size
      if size > 0 then return end
      leaveRing(base, name, key)
      removed = removed + 1
    end)
    if redis.call('EXISTS', base .. 'ring:' .. name) == 1 then return end
    leaveRing(base, level, tenant)
    removed = removed + 1
  end)
  if redis.call('EXISTS', base .. 'ring:' .. level) == 0 then redis.call('ZREM', base .. 'levels', level) end
end
if looked > MOST then return { -1, -1, -1 } end
local wrong = countInRing(prefix) - sum
redis.call('DEL', base .. 'tenants')
for tenant, size in pairs(counts) do
  if size > 0 then redis.call('HSET', base .. 'tenants', tenant, size) end
end
if sum == 0 then redis.call('DEL', base .. 'put', base .. 'left')
elseif wrong ~= 0 then
  local put = tonumber(redis.call('GET', base .. 'put')) or 0
  if put < sum then put = sum end
  redis.call('SET', base .. 'put', put)
  redis.call('SET', base .. 'left', put - sum)
end
if sum > 0 then redis.call('ZADD', prefix .. 'marker', 0, '0') end
return { sum, removed, wrong }
