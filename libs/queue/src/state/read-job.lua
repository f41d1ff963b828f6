-- Reads jobs from their hashes. BullMQ's own reader does not know the fields that Errand adds.
--
-- KEYS: for each read: state, artifacts; then for each queue in which the job may be: the job, its lock
-- ARGV: for each read: the number of queues, and whether state and artifacts are wanted (1 or 0)
-- Result: for each read: the hash, whether a worker holds the lock, the state, the artifacts; nil if no such job exists
local function read(first, queues, wanted)
  for n = first + 2, first + 2 * queues, 2 do
    -- A job that is being removed has no data any more.
    if redis.call('HEXISTS', KEYS[n], 'data') == 1 then
      local found = { redis.call('HGETALL', KEYS[n]), redis.call('EXISTS', KEYS[n + 1]), {}, {} }
      if wanted then found[3], found[4] = redis.call('HGETALL', KEYS[first]), redis.call('HVALS', KEYS[first + 1]) end
      return found
    end
  end
  return false
end
local replies, first = {}, 1
for n = 1, #ARGV, 2 do
  local queues = tonumber(ARGV[n])
  replies[#replies + 1] = read(first, queues, ARGV[n + 1] == '1')
  first = first + 2 + 2 * queues
end
return replies
