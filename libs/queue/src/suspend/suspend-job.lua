-- Moves a running job to the delayed set, together with its fields and index entries. Its slot time is charged. If an answer or a cancel
-- request has come meanwhile, the job is due at once. The count of deaths starts again, because the results of earlier processes are stored.
-- If the job waits for an answer, the invocations that wait for it are resumed: a turn then waits for the same answer.
--
-- KEYS: 1 job (hash), 2 its lock (text)
--   3 set of jobs that the stalled check has marked, 4 active (list), 5 delayed (sorted set), 6 marker (sorted set), all of the job's queue
--   7 notification channel
--   8 status set of suspended invocations, in the search index of the tenant (sorted set)
--   9 events of the invocation (stream)
--   10 order of changes of the tenant (sorted set), 11 clock of changes (number)
--   12 waiters of the job (set of ids), 13 delayed set and 14 marker of the waiters' queue
--   15 and on: the other status sets in which the invocation may be (sorted sets)
-- ARGV: 1 id of the job, 2 token of the lock, 3 now (ms), 4 due (ms), 5 what it waits for ('time' or 'answer')
--   6 member of the status sets and of the order of changes, 7 now (ISO 8601), 8 what it asks for (JSON, or ''), 9 prefix of the waiters' jobs
--   10 whether the job holds its first events, see store-events.lua (1 or 0), 11 its waits for the index of waits (see wait-index.lua), or ''
-- Result: 1; 0 if another process has the job; -1 if the lock has lapsed
-- @include ../state/append-status.lua
-- @include resume-waiters.lua
-- @include ../fair/charge.lua
-- @include wait-index.lua
local released = releaseActive(ARGV[1], ARGV[2], KEYS[2], KEYS[3], KEYS[4])
if released < 1 then return released end
local queuePrefix = string.sub(KEYS[1], 1, -#ARGV[1] - 1)
-- Only consumers that charge slot time keep the mean.
if redis.call('EXISTS', queuePrefix .. 'fair:mean') == 1 then chargeRelease(queuePrefix, ARGV[1], tonumber(ARGV[3])) end
redis.call('HSETNX', KEYS[1], '${field.begunAt}', redis.call('HGET', KEYS[1], 'processedOn'))
local due, waitsFor = tonumber(ARGV[4]), ARGV[5]
if redis.call('HEXISTS', KEYS[1], '${field.answered}') + redis.call('HEXISTS', KEYS[1], '${field.cancelRequestedAt}') > 0 then
  due, waitsFor = tonumber(ARGV[3]), 'woken'
end
redis.call('HSET', KEYS[1], '${field.suspended}', waitsFor, '${field.deaths}', 0)
if ARGV[8] ~= '' then redis.call('HSET', KEYS[1], '${field.asked}', ARGV[8]) end
replaceWaits(KEYS[1], ARGV[11])
delayUntil(KEYS[1], ARGV[1], due, math.max(0, due - ARGV[3]), KEYS[5], KEYS[6])
for n = 15, #KEYS do redis.call('ZREM', KEYS[n], ARGV[6]) end
redis.call('ZADD', KEYS[8], 0, ARGV[6])
recordChange(KEYS[10], KEYS[11], ARGV[6])
if waitsFor == 'answer' then
  appendStatus(KEYS[1], KEYS[9], ARGV[1], 'waiting_external', ARGV[7], ARGV[10] == '1')
  resumeWaiters(KEYS[12], KEYS[13], KEYS[14], tonumber(ARGV[3]), ARGV[9])
end
redis.call('PUBLISH', KEYS[7], ARGV[1])
return 1
