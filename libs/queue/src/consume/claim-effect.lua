-- Claims an effect for a step, unless another step has the claim. The ledger gets an entry for the effect, and each other claimant as a
-- repeat of it.
--
-- KEYS: 1 claim, 2 entry of the ledger, 3 and on: the sets of the ledger in which it is found
-- ARGV: 1 claimant, 2 owner from which the claim may be taken ('' for none), 3 seconds to keep it, 4 now (ms), 5 member of the sets,
--   6 session, 7 tool, 8 arguments (JSON, '' if they are too long)
-- Result: the owner
-- Effects: an entry has the fields `session`, `toolId`, `arguments`, `owner`, `at`, and `repeat:<claimant>` with a time for each repeat
local MOST_FIELDS, MOST_ENTRIES = 105, 100000
local claimant, now, seconds = ARGV[1], ARGV[4], ARGV[3]
local function note(owner)
  redis.call('HSET', KEYS[2], 'session', ARGV[6], 'toolId', ARGV[7], 'arguments', ARGV[8], 'owner', owner, 'at', now)
  redis.call('HDEL', KEYS[2], 'repeat:' .. owner)
  redis.call('EXPIRE', KEYS[2], seconds)
  for n = 3, #KEYS do
    redis.call('ZADD', KEYS[n], now, ARGV[5])
    redis.call('ZREMRANGEBYSCORE', KEYS[n], '-inf', now - seconds * 1000)
    redis.call('ZREMRANGEBYRANK', KEYS[n], 0, -MOST_ENTRIES - 1)
    redis.call('EXPIRE', KEYS[n], seconds)
  end
end
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= claimant and owner ~= ARGV[2] then
  local isKnown = redis.call('EXISTS', KEYS[2]) == 1
  if isKnown and redis.call('HLEN', KEYS[2]) < MOST_FIELDS then redis.call('HSETNX', KEYS[2], 'repeat:' .. claimant, now) end
  return owner
end
redis.call('SET', KEYS[1], claimant, 'EX', seconds)
if owner ~= claimant then note(claimant) else redis.call('EXPIRE', KEYS[2], seconds) end
return claimant
