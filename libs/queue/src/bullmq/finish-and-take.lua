-- Ends all jobs that ended in one turn of the event loop of a consumer, and takes as many as it has free slots. One atomic step.
--
-- The call may arrive twice: a client sends it again if it has lost the reply with its connection. Jobs that the first delivery has ended
-- count as ended. The jobs that it has taken are returned again.
--
-- What it assumes of BullMQ: README.md in this folder.
-- - The keys of a queue are <prefix>:<queue>:wait, active, prioritized, pc, delayed, marker, stalled, meta, completed and failed.
-- - A job is a hash. `ats`, `atm`, `stc`, `defa`, `deid`, `parent` and `parentKey` mean what they mean in `moveToActive` and `moveToFinished`.
-- - A job with the field `deid` or `parent`, or with children, needs more when it ends. Deliveries are the only parents that end here.
-- - A queue with the meta field `max` is rate limited. Jobs are then taken by BullMQ's script.
-- - Errand reads no event stream of BullMQ: without ERRAND_BULLMQ_EVENTS, it gets no events.
--
-- The order of jobs is that of the lanes (../fair): what is in BullMQ's waiting sets comes first, then the lanes by their rules.
--
-- Effects of a taken job: it is active, locked, and has one start more. Its start is published, and an invocation moves to the end of the order of
--   changes.
-- Effects of an ended job: see endLeanJob and settleEnded.
--
-- KEYS: 1 active list of the queue, 2 name of the last take of this consumer
-- ARGV: 1 prefix of job keys, 2 name of the queue, 3 now (ms), 4 name of this call, which is the token of the locks, 5 lock (ms),
--   6 highest number of jobs to take, 7 size of their data (bytes) at which it takes no further one, 8 the consumer's part of all slots (up to 1),
--   9 to 11 rules (fairRules); then for each ended job 10 fields: id, token, count of starts, '1' for success or '0', result (JSON) or reason of
--   the failure, name, tenant ('' for a job that is not indexed), idempotency key ('' for none),
--   tools (JSON; '' for the one that the name is), agent ('' for none)
-- Result: 1 a list with 1 (ended), 0 (another process has the job) or 2 (needs BullMQ's script) for each ended job;
--   2 the taken jobs: name, data, options, timestamp, delay, starts, deaths, deferred failure, time of the cancel request, id;
--   3 state of the queue: 0 no job waits, 1 jobs may wait, 2 waiting jobs may not start (pause, concurrency, share of a tenant), 3 rate
--   limited;
--   4 in state 0 the time (ms) at which the next delayed job is due, or 0
-- @include ../fair/fair-rules.lua
-- @include ../fair/admit.lua
-- @include ../fair/take-due.lua
-- @include ../fair/charge.lua
-- @include end-lean-job.lua
-- @include settle-ended.lua
-- @include take-jobs.lua
local FIXED, FIELDS = 11, 10
local queue = { jobs = ARGV[1], name = ARGV[2], active = KEYS[1], lastTake = KEYS[2] }
local now, call, lockMs, wanted, bytes = tonumber(ARGV[3]), ARGV[4], ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
local portion, rules = tonumber(ARGV[8]), fairRules(ARGV, 9, now, '')

-- What most jobs do not have is looked for once for all jobs.
local ends, locks, rare = {}, {}, {}
for at = FIXED + 1, #ARGV, FIELDS do
  local id, token, attempt, success, value, name, tenant, idempotency, tools, agent = unpack(ARGV, at, at + FIELDS - 1)
  ends[#ends + 1] = { id = id, token = token, attempt = attempt, isSuccess = success == '1', value = value, name = name, tenant = tenant,
    idempotency = idempotency, tools = tools, agent = agent }
  local job = ARGV[1] .. id
  locks[#locks + 1] = job .. ':lock'
  rare[#rare + 1] = job .. ':dependencies'
  rare[#rare + 1] = job .. ':unsuccessful'
  rare[#rare + 1] = waitersOf(id)
end
local hasRare = #ends > 0 and redis.call('EXISTS', unpack(rare)) > 0
local holders = #ends > 0 and redis.call('MGET', unpack(locks))
local codes, ended = {}, {}
for n, ending in ipairs(ends) do
  ending.holder = holders[n]
  ending.hasChildren = hasRare and redis.call('EXISTS', rare[3 * n - 2], rare[3 * n - 1]) > 0
  codes[n] = endLeanJob(queue, ending, now)
  if ending.isNew then ended[#ended + 1] = ending end
end
settleEnded(queue, ended, now, rules, hasRare)
if wanted == 0 then return { codes, {}, MORE, 0 } end
local taken, state, due = takeJobs(queue, call, now, lockMs, wanted, bytes, portion, rules)
return { codes, taken, state, due }
