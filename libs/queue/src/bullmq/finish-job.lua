-- Ends a job by BullMQ's script. In the same step it records the duration, moves the invocation to the status set of its end and to the end
-- of the order of changes, removes its waits from their index, resumes the invocations that wait for it, hands the end to its push
-- deliveries, shortens the life of its idempotency key to a day, notes its statistics and publishes the end. The next job is taken by the
-- rules between tenants. If BullMQ's script refuses, the job has not ended and nothing else happens.
--
-- KEYS: those of BullMQ's script (12 the job), then: 1 durations of the queue, 2 durations of the called tools, 3 succeeded, 4 failed,
--   5 cancelled, 6 waiters, 7 and 8 delayed set and marker of the waiters' queue, 9 to 12 sets of open invocations, 13 order of
--   changes, 14 clock of changes, 15 idempotency key (optional)
-- ARGV: those of BullMQ's script, then: 1 index member ('' for a job that is not indexed), 2 now (ms), 3 prefix of the waiters' jobs,
--   4 name of the queue, 5 tenant, 6 name of the job, 7 tools (JSON; '' for the one that the name is), 8 agent (or ''),
--   9 and on: rules (fairRules)
-- Result: that of BullMQ's script
-- @include ../suspend/resume-waiters.lua
-- @include ../state/record-duration.lua
-- @include ../state/record-change.lua
-- @include ../state/publish-end.lua
-- @include ../state/publish-together.lua
-- @include ../push/push-status.lua
-- @include ../stats/note-stats.lua
-- @include ../redis/digits.lua
-- @include ../fair/end-job.lua
-- @include ../suspend/wait-index.lua
local IDEMPOTENCY_KEY_SECONDS = 86400
local reply, ranMs = endJob(KEYS, ARGV, fairRules(ARGV, ${bullmq.args} + 9, ARGV[2], ARGV[1]))
if type(reply) == 'number' and reply < 0 then return reply end
local function key(n) return KEYS[${bullmq.keys} + n] end
local job, member = KEYS[12], ARGV[${bullmq.args} + 1]
local ended, started, pushes = unpack(redis.call('HMGET', job, 'finishedOn', 'processedOn', '${field.pushes}'))
if ranMs then recordDuration(key(1), ranMs) end
local status = endedStatus(job)
if status == 'succeeded' then recordDuration(key(2), ranMs or 0) end
if pushes then pushStatus(job, status) end
resumeWaiters(key(6), key(7), key(8), tonumber(ARGV[${bullmq.args} + 2]), ARGV[${bullmq.args} + 3])
local run = wholeRun(unpack(redis.call('HMGET', job, '${field.awaited}', 'processedOn', 'finishedOn', '${field.starts}', 'returnvalue',
  '${field.suspensions}', '${field.cancelRequestedAt}')))
if run and redis.call('EXISTS', moreOf(ARGV[1])) > 0 then run = nil end
publishTogether({ endMessage(ARGV[1], run) })
if member == '' then return reply end
for n = 9, 12 do
  if redis.call('ZREM', key(n), member) == 1 then
    -- Only an invocation that was suspended once, whose set is the last one, can be in the index of waits.
    if n == 12 then removeWaits(job) end
    break
  end
end
redis.call('ZADD', key(({ succeeded = 3, failed = 4, cancelled = 5 })[status]), 0, member)
redis.call('ZADD', key(13), nextChange(key(14)), member)
local function arg(n) return ARGV[${bullmq.args} + n] end
-- A job that is removed at its end has no fields any more.
local accepted, begun, options, starts, reason =
  unpack(redis.call('HMGET', job, 'timestamp', '${field.begunAt}', 'opts', '${field.starts}', 'failedReason'))
noteStats({ endedEntry({ tenant = arg(5), name = arg(6), tools = arg(7), agent = arg(8), status = status, value = reason or '',
  ranMs = ranMs, waitedMs = waitedMs(accepted, begun or started, begun or starts == '1', options) }, arg(4), digits(ended or arg(2))) })
if key(15) then redis.call('EXPIRE', key(15), IDEMPOTENCY_KEY_SECONDS) end
return reply
