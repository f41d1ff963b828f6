-- Stores the invocations that recovered from refusals, and how far all of them are known.
--
-- KEYS: 1 the recoveries, 2 the time until which all are known
-- ARGV: 1 how long they are kept in seconds, 2 the prefix of the keys of refusals, 3 that time (ms), or ''; then for each recovery the id of
--   the refusal and that of the invocation
-- Effects: a refusal that is not kept any more gets none
-- Result: nil
local recoveries, settled = KEYS[1], KEYS[2]
local age, prefix, until_ = ARGV[1], ARGV[2], ARGV[3]
for n = 4, #ARGV, 2 do
  if redis.call('EXISTS', prefix .. ARGV[n]) == 1 then redis.call('HSETNX', recoveries, ARGV[n], ARGV[n + 1]) end
end
redis.call('EXPIRE', recoveries, age)
if until_ ~= '' then redis.call('SET', settled, until_, 'EX', age) end
return nil
