-- Reads a job from its hash. BullMQ's own reader does not know the fields that Errand adds.
--
-- KEYS: 1 state, 2 artifacts; then for each queue in which it may be: the job, its lock
-- ARGV: 1 whether the first two are wanted (1 or 0)
-- Result: the hash, whether a worker holds the lock, the state, the artifacts; nil if no such job exists
for n = 3, #KEYS, 2 do
  -- A job that is being removed has no data any more.
  if redis.call('HEXISTS', KEYS[n], 'data') == 1 then
    local read = { redis.call('HGETALL', KEYS[n]), redis.call('EXISTS', KEYS[n + 1]), {}, {} }
    if ARGV[1] == '1' then read[3], read[4] = redis.call('HGETALL', KEYS[1]), redis.call('HVALS', KEYS[2]) end
    return read
  end
end
return false
