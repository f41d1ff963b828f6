-- Keeps the last status of an invocation in its batch when retention removes it. The last one starts the end of the batch.
--
-- KEYS: 1 batch
-- ARGV: 1 id, 2 its status, 3 seconds to keep the batch after its last invocation
-- Result: nil
if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return end
redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
if redis.call('HLEN', KEYS[1]) == ${batchFields} then redis.call('EXPIRE', KEYS[1], ARGV[3]) end
