-- Stores a cancel request. A job that no worker runs is taken out of the set in which it waits and locked, as a worker would do, so that
-- the caller can end it. For a running job every process is notified. If a job was put back and no cancel request exists, listeners are
-- notified that it waits again.
--
-- A ready job is in its lane or in BullMQ's waiting list (mayWaitInList in ../fair/put-in-ring.lua). The list has the newest job first, and ids sort by
-- time: the search begins at the nearer end. A locked job is not searched for.
--
-- KEYS: 1 job, 2 lock, 3 wait, 4 prioritized, 5 delayed, 6 active, 7 channel of cancel requests, 8 notification channel, 9 events,
--   10 invocations submitted with a delay, 11 order of changes, 12 clock of changes, 13 children of the invocation
-- ARGV: 1 id, 2 now (ms), 3 token for the lock, 4 time of the lock (ms), 5 '1' to request a cancel, '0' to act only on an earlier request,
--   6 now (ISO 8601) for an invocation, else '', 7 the reason of the request, or '', 8 index member, 9 prefix of the queue's keys,
--   10 the count of starts after which the job was put back. A later start has told its own status, so nothing is told
-- Result: 'missing', 'ended', 'not_requested' (no cancel request), 'has_children' (the request is stored, and the job stays: a script or a task
--   of another server may still run for it), 'running' or 'taken'
-- @include ../state/append-status.lua
-- @include ../state/record-change.lua
-- @include request-cancel.lua
-- @include ../fair/remove-from-ring.lua
if redis.call('EXISTS', KEYS[1]) == 0 then return 'missing' end
if redis.call('HEXISTS', KEYS[1], 'finishedOn') == 1 then return 'ended' end
if ARGV[5] == '1' then requestCancel(KEYS[1], ARGV[2], ARGV[7])
elseif redis.call('HEXISTS', KEYS[1], '${field.cancelRequestedAt}') == 0 then
  local waits = redis.call('EXISTS', KEYS[2]) + redis.call('HEXISTS', KEYS[1], '${field.suspended}') == 0
  if ARGV[6] ~= '' and waits and redis.call('HGET', KEYS[1], '${field.starts}') == ARGV[10] then
    appendStatus(KEYS[1], KEYS[9], ARGV[1], 'queued', ARGV[6])
    recordChange(KEYS[11], KEYS[12], ARGV[8])
  end
  redis.call('PUBLISH', KEYS[8], ARGV[1])
  return 'not_requested'
end
if ARGV[5] == '1' and redis.call('EXISTS', KEYS[13]) == 1 then
  -- A job that waits for a retry has no running script.
  local waitsForRetry = redis.call('ZSCORE', KEYS[5], ARGV[1]) and redis.call('HEXISTS', KEYS[1], '${field.suspended}') == 0
  if not waitsForRetry then
    redis.call('PUBLISH', KEYS[7], ARGV[1])
    return 'has_children'
  end
end
local found = redis.call('ZREM', KEYS[5], ARGV[1]) + redis.call('ZREM', KEYS[4], ARGV[1])
  + removeFromRing(ARGV[9], redis.call('HGET', KEYS[1], '${field.lane}') or DEFAULT_LANE, ARGV[1])
if found == 0 and redis.call('EXISTS', KEYS[2]) == 0 then
  local middle = redis.call('LINDEX', KEYS[3], math.floor(redis.call('LLEN', KEYS[3]) / 2))
  found = redis.call('LREM', KEYS[3], middle and ARGV[1] < middle and -1 or 1, ARGV[1])
end
if found == 0 then
  redis.call('PUBLISH', KEYS[7], ARGV[1])
  return 'running'
end
redis.call('ZREM', KEYS[10], ARGV[1])
redis.call('LPUSH', KEYS[6], ARGV[1])
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
return 'taken'
