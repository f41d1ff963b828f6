-- @include layout.lua
-- @include bull-event.lua
-- @include take-next.lua
-- @include ../fair/count-waiting.lua

-- Jobs that are admitted at once from the lanes. A take that stops at its size leaves at most so many in BullMQ's waiting list.
local ADMITTED_AT_ONCE = 10

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
  bullEvent(queue.jobs, 'active', id, 'prev', 'waiting')
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

-- waits(jobs): whether a job waits in BullMQ's sets or in a lane. `jobs` is the prefix of the queue's keys.
local function waits(jobs)
  return redis.call('EXISTS', jobs .. 'wait', jobs .. 'prioritized', jobs .. 'fair:levels') > 0
end

-- portionOf(jobs, wanted, portion): at most the portion of the waiting jobs that a consumer takes at once. The others get theirs, so that a few
-- jobs do not all run in one process.
local function portionOf(jobs, wanted, portion)
  if wanted == 1 or portion >= 1 then return wanted end
  local waiting = redis.call('LLEN', jobs .. 'wait') + redis.call('ZCARD', jobs .. 'prioritized') + countInRing(jobs)
  return math.min(wanted, math.max(1, math.ceil(waiting * portion)))
end

-- stateAfterAll(jobs): the state of a queue that gave all jobs that may start now, and the time at which the next delayed job is due (ms) or 0.
local function stateAfterAll(jobs)
  -- The jobs of a tenant at its share of the slots wait in their lanes.
  if redis.call('EXISTS', jobs .. 'fair:levels') == 1 then return PAUSED, 0 end
  -- The marker would wake consumers for nothing.
  redis.call('ZREM', jobs .. 'marker', '0')
  local due = redis.call('ZRANGE', jobs .. 'delayed', 0, 0, 'WITHSCORES')[2]
  return DRAINED, due and string.format('%.0f', timeOfScore(due)) or 0
end

-- takeJobs(queue, call, now, lockMs, wanted, bytes, portion, rules): takes up to `wanted` waiting jobs, and no further one once their data has
-- `bytes`. Delayed jobs that are due come first to their lanes. `call` is the token of the locks, `portion` the consumer's part of all slots,
-- `rules` those between tenants.
-- Returns the jobs, the state of the queue and, for DRAINED, the time at which the next delayed job is due (ms) or 0.
local function takeJobs(queue, call, now, lockMs, wanted, bytes, portion, rules)
  if redis.call('GET', queue.lastTake) == call then return takenBefore(queue, call), MORE, 0 end
  local jobs = queue.jobs
  local paused, most, limit = unpack(redis.call('HMGET', jobs .. 'meta', 'paused', 'concurrency', 'max'))
  if limit then return {}, LIMITED, 0 end
  takeDue(jobs, now)
  if paused then return {}, PAUSED, 0 end
  local free = most and tonumber(most) - redis.call('LLEN', queue.active) or wanted
  if free <= 0 then return {}, PAUSED, 0 end
  local taken, size, state, due = {}, 0, MORE, 0
  free = portionOf(jobs, math.min(free, wanted), portion)
  while #taken < free and size < bytes do
    local id = takeNext(jobs, queue.active)
    if id then
      local fields = startJob(queue, id, call, now, lockMs)
      if fields then
        taken[#taken + 1] = fields
        size = size + #(fields[2] or '')
      end
    elseif admitNext(jobs, math.min(free - #taken, ADMITTED_AT_ONCE), rules) == 0 then
      state, due = stateAfterAll(jobs)
      break
    end
  end
  if #taken > 0 then redis.call('SET', queue.lastTake, call, 'PX', lockMs) end
  if state == MORE then
    -- Another consumer may have a free slot.
    if waits(jobs) then redis.call('ZADD', jobs .. 'marker', 0, '0')
    else state, due = stateAfterAll(jobs) end
  end
  return taken, state, due
end
