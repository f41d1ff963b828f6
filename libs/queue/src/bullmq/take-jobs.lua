-- @include layout.lua
-- @include bull-event.lua
-- @include take-next.lua
-- @include ../fair/count-waiting.lua
-- @include ../fair/put-in-ring.lua
-- @include ../state/record-starts.lua
-- @include ../push/push-status.lua for pushStatus
-- @include ../redis/digits.lua

-- Jobs that leave their lanes at once. A take that stops at its size leaves at most so many in BullMQ's waiting list.
local OUT_AT_ONCE = 25

-- The fields of a job that its run needs, in the order of the reply, then two that only the script needs. In the reply, the id of the job is in
-- the place of these.
local FIELDS_OF_START = { 'name', 'data', 'opts', 'timestamp', 'delay', '${field.starts}', '${field.deaths}', 'defa', '${field.cancelRequestedAt}',
  '${field.pushes}', '${field.lastStatus}' }
local STARTS, DEFERRED, PUSHES, LAST_STATUS, ID = 6, 8, 10, 11, 10

-- readForStart(job, id): the fields that a run needs and its id, then the push deliveries of the job and the last status that they got.
local function readForStart(job, id)
  local fields = redis.call('HMGET', job, unpack(FIELDS_OF_START))
  local pushes, lastStatus = fields[PUSHES], fields[LAST_STATUS]
  fields[ID], fields[LAST_STATUS] = id, nil
  return fields, pushes, lastStatus
end

-- ownerOf(call): the process of a call. The name of a consumer begins with that of its process, if it is known.
local function ownerOf(call) return string.match(call, '^([^/]+)/') end

-- startJob(queue, id, call, owner, startedAt, lockMs): locks a job, counts its start and returns what its run needs. `owner` is ownerOf(call),
-- `startedAt` the text of a time (ms). Push deliveries of the job get the status `running` unless record-restart.lua appends the status. Returns
-- nil for a job whose hash is gone. The field `pb` has the process, as BullMQ's field of that name has the worker.
local function startJob(queue, id, call, owner, startedAt, lockMs)
  local job = queue.jobs .. id
  local fields, pushes, lastStatus = readForStart(job, id)
  if not fields[1] then return nil end
  fields[STARTS] = (tonumber(fields[STARTS]) or 0) + 1
  redis.call('SET', job .. ':lock', call, 'PX', lockMs)
  if owner then redis.call('HSET', job, 'processedOn', startedAt, '${field.starts}', fields[STARTS], '${field.process}', owner)
  else redis.call('HSET', job, 'processedOn', startedAt, '${field.starts}', fields[STARTS]) end
  bullEvent(queue.jobs, 'active', id, 'prev', 'waiting')
  if pushes and not lastStatus and not fields[DEFERRED] then pushStatus(job, 'running') end
  return fields
end

-- recordStartsOf(queue, taken): records the starts of taken jobs. A delivery is no invocation. A job with a deferred failure ends without a
-- run.
local function recordStartsOf(queue, taken)
  if queue.name == '${deliveries}' then return end
  local starts = {}
  for _, fields in ipairs(taken) do
    if not fields[DEFERRED] then starts[#starts + 1] = { id = fields[ID], data = fields[2] } end
  end
  recordStarts(starts)
end

-- takenBefore(queue, call): the jobs that an earlier delivery of the same call took. Its reply was lost with the connection.
local function takenBefore(queue, call)
  local found = {}
  for _, id in ipairs(redis.call('LRANGE', queue.active, 0, -1)) do
    if redis.call('GET', queue.jobs .. id .. ':lock') == call then
      found[#found + 1] = readForStart(queue.jobs .. id, id)
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

-- firstDue(jobs): the time at which the first delayed job is due (ms), or nil.
local function firstDue(jobs)
  local score = redis.call('ZRANGE', jobs .. 'delayed', 0, 0, 'WITHSCORES')[2]
  return score and timeOfScore(score)
end

-- stateAfterAll(jobs, hasLanes, due): the state of a queue that gave all jobs that may start now, and the time at which the next delayed job is
-- due (ms) or 0.
local function stateAfterAll(jobs, hasLanes, due)
  -- The jobs of a tenant at its share of the slots wait in their lanes.
  if hasLanes and redis.call('EXISTS', jobs .. 'fair:levels') == 1 then return PAUSED, 0 end
  -- The marker would wake consumers for nothing.
  redis.call('ZREM', jobs .. 'marker', '0')
  return DRAINED, due and digits(due) or 0
end

-- startNext(queue, most, isFull, start, rules): starts up to `most` of the jobs that wait in BullMQ's sets, or else of those in the lanes, until
-- the call is full, and makes them active. `start` returns whether the job exists. Returns whether any job waited, and whether no lane has jobs.
local function startNext(queue, most, isFull, start, rules)
  local ids, active, left, areLanesEmpty = takeNext(queue.jobs, most), {}, {}, false
  if not ids[1] then ids, areLanesEmpty = nextOfLanes(queue.jobs, math.min(most, OUT_AT_ONCE), rules) end
  for _, id in ipairs(ids) do
    if isFull() then left[#left + 1] = id
    elseif start(id) then active[#active + 1] = id end
  end
  if #active > 0 then redis.call('LPUSH', queue.active, unpack(active)) end
  returnNext(queue.jobs, left)
  return #ids > 0, areLanesEmpty
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
  local nextDue = firstDue(jobs)
  if nextDue and nextDue < now + 1 then
    takeDue(jobs, now)
    nextDue = firstDue(jobs)
  end
  if paused then return {}, PAUSED, 0 end
  local free = most and tonumber(most) - redis.call('LLEN', queue.active) or wanted
  if free <= 0 then return {}, PAUSED, 0 end
  local taken, size, state, due, owner, startedAt = {}, 0, MORE, 0, ownerOf(call), digits(now)
  free = portionOf(jobs, math.min(free, wanted), portion)
  local function isFull() return #taken >= free or size >= bytes end
  local function start(id)
    local fields = startJob(queue, id, call, owner, startedAt, lockMs)
    taken[#taken + 1] = fields
    size = size + #(fields and fields[2] or '')
    return fields ~= nil
  end
  divertWaiting(jobs, rules)
  while not isFull() do
    local anyWaited, areLanesEmpty = startNext(queue, free - #taken, isFull, start, rules)
    if not anyWaited then
      state, due = stateAfterAll(jobs, not areLanesEmpty, nextDue)
      break
    end
  end
  if #taken > 0 then
    redis.call('SET', queue.lastTake, call, 'PX', lockMs)
    recordStartsOf(queue, taken)
  end
  if state == MORE then
    -- Another consumer may have a free slot.
    if waits(jobs) then redis.call('ZADD', jobs .. 'marker', 0, '0')
    else state, due = stateAfterAll(jobs, false, nextDue) end
  end
  return taken, state, due
end
