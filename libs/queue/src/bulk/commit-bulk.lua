-- Stores the progress of a bulk action and gives back its lease, unless another process has taken it over. Each lease stores one part, so that
-- a command that the client sends again after a lost connection counts nothing twice.
--
-- KEYS: 1 the action, 2 its failures, 3 open actions of the tenant, 4 queue of all open actions, 5 actions of the tenant
-- ARGV: 1 now (ms), 2 lease, 3 id, 4 `<tenant>:<id>`, 5 seconds to keep the action, 6 time (ms) of its next turn, 7 number of done
--   invocations, 8 number of skipped ones, 9 highest number of kept failures, 10 position, 11 '1' at the end, 12 and on: failures (JSON)
-- Result: the state of the action; 'lost' if another process has it, or the part is stored
local now, seconds = ARGV[1], ARGV[5]
if redis.call('HGET', KEYS[1], 'lease') ~= ARGV[2] then return 'lost' end
redis.call('HDEL', KEYS[1], 'lease')
redis.call('HINCRBY', KEYS[1], 'done', ARGV[7])
redis.call('HINCRBY', KEYS[1], 'skipped', ARGV[8])
redis.call('HINCRBY', KEYS[1], 'failures', #ARGV - 11)
-- A part that could not be done is done again.
if ARGV[11] == '1' or redis.call('HGET', KEYS[1], 'position') ~= ARGV[10] then redis.call('HDEL', KEYS[1], 'begun') end
redis.call('HSET', KEYS[1], 'position', ARGV[10])
for n = 12, #ARGV do
  if redis.call('LLEN', KEYS[2]) < tonumber(ARGV[9]) then redis.call('RPUSH', KEYS[2], ARGV[n]) end
end
local state = redis.call('HGET', KEYS[1], 'state')
if state == 'running' and ARGV[11] == '1' then
  state = 'done'
  -- What no part has counted had ended before it was reached.
  local counts, rest = redis.call('HMGET', KEYS[1], 'done', 'skipped', 'failures'), cjson.decode(redis.call('HGET', KEYS[1], 'plan')).matched
  for n = 1, 3 do rest = rest - tonumber(counts[n] or 0) end
  if rest > 0 then redis.call('HINCRBY', KEYS[1], 'skipped', rest) end
  redis.call('HSET', KEYS[1], 'state', state, 'finishedAt', now)
end
if state == 'running' then
  redis.call('ZADD', KEYS[4], ARGV[6], ARGV[4])
else
  redis.call('ZREM', KEYS[4], ARGV[4])
  redis.call('SREM', KEYS[3], ARGV[3])
end
for n = 1, 5 do redis.call('EXPIRE', KEYS[n], seconds) end
return state
