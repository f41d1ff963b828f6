-- Begins a bulk action with the token of a dry run, which works once.
--
-- KEYS: 1 token, 2 the action, 3 actions of the tenant, 4 open actions of the tenant, 5 queue of all open actions
-- ARGV: 1 now (ms), 2 id, 3 seconds to keep the action, 4 highest number of open actions, 5 highest number of kept actions,
--   6 `<tenant>:<id>`, 7 and on: fields of the action and their values
-- Result: the dry run (JSON); 'unknown', 'used' or 'busy' if nothing began
local now, seconds = ARGV[1], ARGV[3]
local plan = redis.call('GET', KEYS[1])
if not plan then return 'unknown' end
-- The client sends the command again after a lost connection: the action with this id has begun then.
if plan == 'used' then return redis.call('HGET', KEYS[2], 'plan') or 'used' end
if redis.call('SCARD', KEYS[4]) >= tonumber(ARGV[4]) then return 'busy' end
redis.call('SET', KEYS[1], 'used', 'KEEPTTL')
redis.call('HSET', KEYS[2], 'plan', plan, 'state', 'running', 'startedAt', now, 'done', 0, 'skipped', 0, 'failures', 0, 'position', '',
  unpack(ARGV, 7))
redis.call('EXPIRE', KEYS[2], seconds)
redis.call('ZADD', KEYS[3], now, ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -tonumber(ARGV[5]) - 1)
redis.call('SADD', KEYS[4], ARGV[2])
redis.call('ZADD', KEYS[5], now, ARGV[6])
for n = 3, 5 do redis.call('EXPIRE', KEYS[n], seconds) end
return plan
