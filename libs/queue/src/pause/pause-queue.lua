-- Pauses a queue. BullMQ's scripts and Errand's start no job of a queue whose meta has the field `paused`, whatever its text. A queue that is
-- paused keeps its pause, unless it is one without a name: BullMQ's own.
--
-- KEYS: 1 meta of the queue, 2 marker
-- ARGV: 1 the pause as JSON
-- Result: 1 if it changed something, else 0
local known = redis.call('HGET', KEYS[1], 'paused')
if known and known ~= '1' then return 0 end
redis.call('HSET', KEYS[1], 'paused', ARGV[1])
redis.call('DEL', KEYS[2])
return 1
