-- Reads jobs from their hashes. BullMQ's own reader does not know the fields that Errand adds.
--
-- KEYS: for each read: state, artifacts; then the job in each queue in which it may be
-- ARGV: for each read: the number of queues, and whether state and artifacts are wanted (1 or 0)
-- Result: for each read: the values of READ_FIELDS in stored-job.ts, whether a worker holds the lock (0 for a job that has ended), the state,
--   the artifacts; nil if no such job exists
local FIELDS = { ${readFields} }
local function read(first, queues, wanted)
  for n = first + 2, first + 1 + queues do
    local fields = redis.call('HMGET', KEYS[n], unpack(FIELDS))
    local data, finished = fields[1], fields[2]
    -- A job that is being removed has no data any more.
    if data then
      local found = { fields, not finished and redis.call('EXISTS', KEYS[n] .. ':lock') or 0, {}, {} }
      -- Most invocations have neither.
      if wanted and redis.call('EXISTS', KEYS[first], KEYS[first + 1]) > 0 then
        found[3], found[4] = redis.call('HGETALL', KEYS[first]), redis.call('HVALS', KEYS[first + 1])
      end
      return found
    end
  end
  return false
end
local replies, first = {}, 1
for n = 1, #ARGV, 2 do
  local queues = tonumber(ARGV[n])
  replies[#replies + 1] = read(first, queues, ARGV[n + 1] == '1')
  first = first + 2 + queues
end
return replies
