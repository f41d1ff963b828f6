-- @include layout.lua
-- @include take-next.lua
-- @include promote-due.lua

-- startJob(queue, id, call, now, lockMs): locks an active job, counts its start and returns what its run needs. Returns nil for a job whose hash
-- is gone.
local function startJob(queue, id, call, now, lockMs)
  local job = queue.jobs .. id
  local fields = redis.call('HMGET', job, 'name', 'data', 'opts', 'timestamp', 'delay', '${field.starts}', '${field.deaths}', 'defa',
    '${field.cancelRequestedAt}')
  if not fields[1] then
    redis.call('LREM', queue.active, 1, id)
    return nil
  end
  fields[6] = (tonumber(fields[6]) or 0) + 1
  redis.call('SET', job .. ':lock', call, 'PX', lockMs)
  redis.call('HSET', job, 'processedOn', now, '${field.starts}', fields[6])
  fields[10] = id
  return fields
end

-- takenBefore(queue, call): the jobs that an earlier delivery of the same call took. Its reply was lost with the connection.
local function takenBefore(queue, call)
  local found = {}
  for _, id in ipairs(redis.call('LRANGE', queue.active, 0, -1)) do
    if redis.call('GET', queue.jobs .. id .. ':lock') == call then
      local fields = redis.call('HMGET', queue.jobs .. id, 'name', 'data', 'opts', 'timestamp', 'delay', '${field.starts}',
        '${field.deaths}', 'defa', '${field.cancelRequestedAt}')
      fields[10] = id
      found[#found + 1] = fields
    end
  end
  return found
end

-- The states of the queue after takeJobs.
local DRAINED, MORE, PAUSED, LIMITED = 0, 1, 2, 3

-- takeJobs(queue, call, now, lockMs, wanted, bytes): takes up to `wanted` waiting jobs, and no further one once their data has `bytes`.
-- Delayed jobs that are due come first to the waiting ones. `call` is the token of the locks.
-- Returns the jobs, the state of the queue and, for DRAINED, the time at which the next delayed job is due (ms) or 0.
local function takeJobs(queue, call, now, lockMs, wanted, bytes)
  if redis.call('GET', queue.lastTake) == call then return takenBefore(queue, call), MORE, 0 end
  local jobs = queue.jobs
  local wait, prioritized, delayed, counter = jobs .. 'wait', jobs .. 'prioritized', jobs .. 'delayed', jobs .. 'pc'
  local paused, most, limit = unpack(redis.call('HMGET', jobs .. 'meta', 'paused', 'concurrency', 'max'))
  if limit then return {}, LIMITED, 0 end
  promoteDue(jobs, delayed, wait, prioritized, counter, now)
  if paused then return {}, PAUSED, 0 end
  local free = most and tonumber(most) - redis.call('LLEN', queue.active) or wanted
  if free <= 0 then return {}, PAUSED, 0 end
  local taken, size, isDrained = {}, 0, false
  while #taken < wanted and #taken < free and size < bytes do
    local id = takeNext(wait, queue.active, prioritized, counter)
    if not id then
      isDrained = true
      break
    end
    local fields = startJob(queue, id, call, now, lockMs)
    if fields then
      taken[#taken + 1] = fields
      size = size + #(fields[2] or '')
    end
  end
  if #taken > 0 then redis.call('SET', queue.lastTake, call, 'PX', lockMs) end
  if isDrained then
    -- Nothing waits, so the marker would wake consumers for nothing.
    redis.call('ZREM', jobs .. 'marker', '0')
    local due = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')[2]
    return taken, DRAINED, due and string.format('%.0f', timeOfScore(due)) or 0
  end
  -- Another consumer may have a free slot.
  if redis.call('LLEN', wait) + redis.call('ZCARD', prioritized) > 0 then redis.call('ZADD', jobs .. 'marker', 0, '0') end
  return taken, MORE, 0
end
