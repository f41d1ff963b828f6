-- Renews the lease of a bulk action.
--
-- KEYS: 1 the action, 2 queue of all open actions
-- ARGV: 1 lease, 2 `<tenant>:<id>`, 3 new end of the lease (ms)
-- Result: 1; 0 if the action is not this process's any more
if redis.call('HGET', KEYS[1], 'lease') ~= ARGV[1] or redis.call('HGET', KEYS[1], 'state') ~= 'running' then return 0 end
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
return 1
