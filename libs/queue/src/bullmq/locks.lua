-- beat(pulse, gapMs): the heartbeat of the consumers of a queue.
-- Returns for how many ms Redis has answered them without a gap of gapMs. The pulse key holds the start of that period. It expires by
-- Redis's clock, as locks do, and before them. After a pause of Redis, or of all consumers, the first heartbeat starts a new period.
local function beat(pulse, gapMs)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local since = tonumber(redis.call('GET', pulse) or now)
  -- The clock was set back.
  if since > now then since = now end
  redis.call('SET', pulse, since, 'PX', gapMs)
  return now - since
end

-- retake(job, active, stalled, id, token, attempt, lockMs): renews the lock of a job. A lapsed lock is taken again, unless another process
-- was given the job since: then the job is not active, or its count of starts has changed.
-- Returns whether the caller holds the lock.
local function retake(job, active, stalled, id, token, attempt, lockMs)
  local lock = job .. ':lock'
  local holder = redis.call('GET', lock)
  if holder and holder ~= token then return false end
  if not holder and (redis.call('HGET', job, '${field.starts}') ~= attempt or not redis.call('LPOS', active, id)) then return false end
  redis.call('SET', lock, token, 'PX', lockMs)
  redis.call('SREM', stalled, id)
  return true
end
