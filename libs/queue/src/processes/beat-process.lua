-- Stores the heartbeat of a process, and reads whether it must drain. The clock is that of Redis, so that processes on several hosts agree.
--
-- KEYS: 1 the process, 2 the set of all processes
-- ARGV: 1 id, 2 description as JSON, 3 how long it is kept after its last heartbeat (ms), 4 the most processes that are kept
-- Result: 1 if the process must drain, else 0
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'text', ARGV[2], 'seen', now)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[3])
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return redis.call('HEXISTS', KEYS[1], 'drain')
