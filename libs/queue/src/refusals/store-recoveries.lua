-- Stores the invocations that recovered from refusals, and how far all of them are known.
--
-- KEYS: 1 the recoveries, 2 the time until which all are known, 3 the batches of heads (sorted set)
-- ARGV: 1 how long they are kept in seconds, 2 that time (ms), or ''; then for each recovery the id of the refusal, the id of the newest
--   refusal of its batch, and the id of the invocation
-- Effects: a refusal that is not kept any more gets none
-- Result: nil
local recoveries, settled, batches = unpack(KEYS)
local age, until_ = ARGV[1], ARGV[2]
for n = 3, #ARGV, 3 do
  local id, batch, invocation = ARGV[n], ARGV[n + 1], ARGV[n + 2]
  local heads = redis.call('ZRANGEBYLEX', batches, '[' .. batch .. ' ', '(' .. batch .. '!')[1]
  if heads and string.find(heads, '\n{"id":"' .. id .. '"', 1, true) then redis.call('HSETNX', recoveries, id, invocation) end
end
redis.call('EXPIRE', recoveries, age)
if until_ ~= '' then redis.call('SET', settled, until_, 'EX', age) end
return nil
