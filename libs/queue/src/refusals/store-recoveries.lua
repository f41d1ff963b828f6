-- Stores the invocations that recovered from refusals, and how far all of them are known.
--
-- KEYS: 1 the recoveries, 2 the time until which all are known, 3 the refusals (hash)
-- ARGV: 1 how long they are kept in seconds, 2 that time (ms), or ''; then for each recovery the id of the refusal and that of the invocation
-- Effects: a refusal that is not kept any more gets none
-- Result: nil
local recoveries, settled, refusals = unpack(KEYS)
local age, until_ = ARGV[1], ARGV[2]
for n = 3, #ARGV, 2 do
  if redis.call('HEXISTS', refusals, ARGV[n]) == 1 then redis.call('HSETNX', recoveries, ARGV[n], ARGV[n + 1]) end
end
redis.call('EXPIRE', recoveries, age)
if until_ ~= '' then redis.call('SET', settled, until_, 'EX', age) end
return nil
