-- Asks a process to drain. It learns that with its next heartbeat, which a notification brings forward.
--
-- KEYS: 1 the process
-- ARGV: 1 who asks for it, as JSON
-- Result: 1, or 0 if the process is not stored
if redis.call('HEXISTS', KEYS[1], 'text') == 0 then return 0 end
redis.call('HSETNX', KEYS[1], 'drain', ARGV[1])
return 1
