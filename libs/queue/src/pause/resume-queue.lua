-- Ends the pause of a queue, and wakes a consumer, which looks for waiting and for delayed jobs.
--
-- KEYS: 1 meta of the queue, 2 marker
-- ARGV: none
-- Result: 1 if the queue was paused, else 0
if redis.call('HDEL', KEYS[1], 'paused') == 0 then return 0 end
redis.call('ZADD', KEYS[2], 0, '0')
return 1
