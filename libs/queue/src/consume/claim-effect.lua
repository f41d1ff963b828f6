-- Claims an effect for a step, unless another step has the claim.
--
-- KEYS: 1 claim
-- ARGV: 1 claimant, 2 owner from which the claim may be taken ('' for none), 3 seconds to keep it
-- Result: the owner
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] and owner ~= ARGV[2] then return owner end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
return ARGV[1]
