-- Renews the lease of a bulk action, and notes which part its process begins.
--
-- KEYS: 1 the action, 2 queue of all open actions
-- ARGV: 1 lease, 2 `<tenant>:<id>`, 3 new end of the lease (ms), 4 the part (JSON), or '' to note none
-- Result: 1; 0 if the action is not this process's any more
if redis.call('HGET', KEYS[1], 'lease') ~= ARGV[1] or redis.call('HGET', KEYS[1], 'state') ~= 'running' then return 0 end
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'begun', ARGV[4]) end
return 1
