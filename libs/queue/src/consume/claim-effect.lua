-- KEYS: 1 claim
-- ARGV: 1 claimant, 2 holder from which the claim may be taken ('' for none), 3 seconds to hold it
-- Result: the holder
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] and holder ~= ARGV[2] then return holder end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
return ARGV[1]
