-- @include bull-event.lua
-- @include end-code.lua
-- @include release-delivery.lua
-- @include ../state/publish-end.lua
-- @include ../stats/note-stats.lua
-- @include ../redis/digits.lua

-- endLeanJob(queue, ending, now): ends one job as BullMQ's `moveToFinished` does, unless it needs more than this script knows.
--
-- `queue` has `jobs` (prefix of job keys) and `active`. `ending` has `id`, `job` (key), `lock` (key), `token`, `attempt` (count of starts),
-- `isSuccess`, `value` (JSON of the result, or the reason of the failure), `holder` (token of its lock, or false) and `hasChildren`. After ENDED
-- it also has `status`, `ranMs` (nil if it never started), `waitedMs`, `lane`, `run` (wholeRun), `parentKey` (of its delivery, or false), and
-- `isNew` unless an earlier call has ended the job.
-- Returns ENDED, also for a job that this attempt has ended before; LOST if another process has the job; OTHER if the job needs BullMQ's
-- script. After LOST and OTHER nothing has changed.
local function endLeanJob(queue, ending, now)
  local id, job = ending.id, ending.job
  local starts, endedOn, startedOn, failures, parentKey, parent, deduplication, deferred, cancelled, pushes, lane, awaited, suspensions,
    acceptedAt, begunAt, options =
    unpack(redis.call('HMGET', job, '${field.starts}', 'finishedOn', 'processedOn', '${field.failures}', 'parentKey', 'parent', 'deid', 'defa',
      '${field.cancelRequestedAt}', '${field.pushes}', '${field.lane}', '${field.awaited}', '${field.suspensions}',
      'timestamp', '${field.begunAt}', 'opts'))
  local known = knownCode(ending, starts, endedOn)
  if known then return known end
  if deduplication or pushes or ending.hasChildren or (parentKey and not isDelivery(parentKey, parent)) then return OTHER end
  if redis.call('LREM', queue.active, -1, id) < 1 then return LOST end
  local fields = { 'finishedOn', digits(now), '${field.failures}', (tonumber(failures) or 0) + 1 }
  if ending.isSuccess then redis.call('HSET', job, 'returnvalue', ending.value, unpack(fields))
  else redis.call('HSET', job, 'failedReason', ending.value, 'stacktrace', '[]', unpack(fields)) end
  if deferred and not ending.isSuccess then redis.call('HDEL', job, 'defa') end
  if ending.isSuccess then bullEvent(queue.jobs, 'completed', id, 'returnvalue', ending.value, 'prev', 'active')
  else bullEvent(queue.jobs, 'failed', id, 'failedReason', ending.value, 'prev', 'active') end
  ending.isNew, ending.parentKey = true, parentKey
  ending.lane = lane or DEFAULT_LANE
  ending.run = wholeRun(awaited, startedOn, now, starts, ending.isSuccess and ending.value, suspensions, cancelled)
  ending.ranMs = startedOn and now - startedOn
  ending.waitedMs = waitedMs(acceptedAt, begunAt or startedOn, begunAt or starts == '1', options)
  if cancelled then ending.status = 'cancelled'
  elseif ending.isSuccess then ending.status = 'succeeded'
  else ending.status = string.find(ending.value, '^{"type":"CancelledError"') and 'cancelled' or 'failed' end
  return ENDED
end
