-- Reads the state of an open job.
--
-- KEYS: the job in each queue in which it may be
-- ARGV: none
-- Result: whether a start is recorded (1 or 0), and its last emitted status (nil for none); nil if no open job exists
for n = 1, #KEYS do
  local job = redis.call('HMGET', KEYS[n], 'timestamp', 'finishedOn', 'processedOn', '${field.lastStatus}')
  if job[1] and not job[2] then return { job[3] and 1 or 0, job[4] } end
end
return false
