-- Drives the functions of admission one by one, for tests.
--
-- KEYS: 1 prefix of the queue's keys
-- ARGV: 1 function, then its arguments
-- Result: that of the function
-- @include ../src/fair/admit.lua
-- @include ../src/fair/put-in-ring.lua
-- @include ../src/fair/charge.lua
local prefix, what, first, second, third = KEYS[1], unpack(ARGV)
if what == 'put' then
  redis.call('HSET', prefix .. second, 'timestamp', 1)
  putInRing(prefix, first, second, tonumber(third), ARGV[5] == '1')
elseif what == 'admit' then
  admitNext(prefix, 1, { maxShare = tonumber(second or 1), slots = tonumber(first or 0), now = tonumber(third or 0), ending = '' })
  return redis.call('RPOP', prefix .. 'wait')
elseif what == 'admitSeveral' then
  admitNext(prefix, tonumber(first), { maxShare = 1, slots = 0, now = 0, ending = '' })
  local ids = redis.call('LRANGE', prefix .. 'wait', 0, -1)
  redis.call('DEL', prefix .. 'wait')
  return ids
elseif what == 'remove' then return removeFromRing(prefix, first, second)
elseif what == 'end' then chargeAll(prefix, { { lane = first, ms = tonumber(second) } })
end
