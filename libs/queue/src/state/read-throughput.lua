-- Reads the data for the throughput of a queue.
--
-- KEYS: 1 durations of the queue, 2 active
-- ARGV: 1 prefix of job keys, 2 now (ms)
-- Result: the durations of the last runs (ms), the number of active jobs, and for how long (ms) the oldest 16 of them have run
local SAMPLED = 16
local ages = {}
for _, id in ipairs(redis.call('LRANGE', KEYS[2], -SAMPLED, -1)) do
  local started = redis.call('HGET', ARGV[1] .. id, 'processedOn')
  if started then ages[#ages + 1] = math.max(0, ARGV[2] - started) end
end
return { redis.call('LRANGE', KEYS[1], 0, -1), redis.call('LLEN', KEYS[2]), ages }
