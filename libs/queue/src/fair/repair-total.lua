-- Corrects the number of jobs in all lanes of a queue, if the counts of its tenants have another sum, and wakes a consumer if jobs wait. With more
-- than 20,000 tenants the number is left as it is.
--
-- KEYS: 1 prefix of the queue's keys
-- ARGV: none
-- Result: 1 the number of waiting jobs in lanes, 2 by how much it was too high
-- @include count-waiting.lua
local MOST = 20000
local prefix = KEYS[1]
local base = prefix .. 'fair:'
local counted = countInRing(prefix)
local waiting = counted
if redis.call('HLEN', base .. 'tenants') <= MOST then
  waiting = 0
  for _, count in ipairs(redis.call('HVALS', base .. 'tenants')) do waiting = waiting + tonumber(count) end
end
if waiting == 0 and redis.call('EXISTS', base .. 'levels') == 0 then redis.call('DEL', base .. 'put', base .. 'left')
elseif waiting ~= counted then
  local put = math.max(tonumber(redis.call('GET', base .. 'put')) or 0, waiting)
  redis.call('SET', base .. 'put', put)
  redis.call('SET', base .. 'left', put - waiting)
end
if waiting > 0 then redis.call('ZADD', prefix .. 'marker', 0, '0') end
return { waiting, counted - waiting }
