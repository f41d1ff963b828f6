-- Stops a bulk action. The process that works on it sees the end before its next part.
--
-- KEYS: 1 the action, 2 open actions of the tenant, 3 queue of all open actions
-- ARGV: 1 now (ms), 2 id, 3 `<tenant>:<id>`
-- Result: the state before; nil for an unknown action
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'running' then return state end
redis.call('HSET', KEYS[1], 'state', 'aborted', 'finishedAt', ARGV[1])
redis.call('SREM', KEYS[2], ARGV[2])
redis.call('ZREM', KEYS[3], ARGV[3])
return state
