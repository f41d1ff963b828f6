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
-- Effects of an ended job: see endLeanJobs.
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
-- @include ../state/record-change.lua
-- @include ../state/publish-together.lua
-- @include take-jobs.lua
-- @include end-lean-jobs.lua for endLeanJobs
local FIXED = 11
local queue = { jobs = ARGV[1], name = ARGV[2], active = KEYS[1], lastTake = KEYS[2] }
local now, call, lockMs, wanted, bytes = tonumber(ARGV[3]), ARGV[4], ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
local portion, rules = tonumber(ARGV[8]), fairRules(ARGV, 9, now, '')
local codes = #ARGV > FIXED and endLeanJobs(queue, ARGV, FIXED + 1, now, rules) or {}
if wanted == 0 then return { codes, {}, MORE, 0 } end
local taken, state, due = takeJobs(queue, call, now, lockMs, wanted, bytes, portion, rules)
return { codes, taken, state, due }
