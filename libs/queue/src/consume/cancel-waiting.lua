-- Cancels waiting jobs of one queue, up to 25: each as `take-to-cancel.lua` and then `finish-job.lua` do, in one step for all. A job that
-- runs, has ended, is suspended or needs more when it ends is left as it is.
--
-- A ready job is in its lane or in BullMQ's waiting list (mayWaitInList in ../fair/put-in-ring.lua). The list has the newest job first, and ids sort by
-- time: the search begins at the nearer end.
--
-- KEYS: 1 active, 2 wait, 3 prioritized, 4 delayed, 5 invocations submitted with a delay
-- ARGV: 1 prefix of job keys, 2 name of the queue, 3 now (ms), 4 the reason of the request, or '', 5 the error of a cancelled job (JSON),
--   6 to 8 rules (fairRules); then for each job 6 fields: id, name, tenant, idempotency key ('' for none), tools (JSON; '' for the one that
--   the name is), agent ('' for none)
-- Result: a list with 1 (cancelled) or 0 (left) for each job
-- @include ../fair/fair-rules.lua
-- @include ../fair/admit.lua
-- @include ../fair/charge.lua
-- @include ../fair/remove-from-ring.lua
-- @include ../bullmq/end-lean-job.lua
-- @include ../bullmq/settle-ended.lua
-- @include request-cancel.lua
local FIXED, FIELDS = 8, 6
local queue = { jobs = ARGV[1], name = ARGV[2], active = KEYS[1] }
local now, reason, failure, rules = tonumber(ARGV[3]), ARGV[4], ARGV[5], fairRules(ARGV, 6, ARGV[3], '')

-- isPlain(job, id): whether a job is open, not suspended, in no worker's hand, without scripts, and can be ended by endLeanJob.
local function isPlain(job, id)
  local suspended, deduplication, pushes, parentKey, parent, options =
    unpack(redis.call('HMGET', job, '${field.suspended}', 'deid', '${field.pushes}', 'parentKey', 'parent', 'opts'))
  if not isOpen(job) or suspended or deduplication or pushes then return false end
  if options and (not string.find(options, '"stackTraceLimit":0', 1, true) or string.find(options, '"removeOn', 1, true)) then return false end
  if redis.call('EXISTS', job .. ':lock', job .. ':dependencies', job .. ':unsuccessful', '${prefix}:children:' .. id) > 0 then return false end
  return not parentKey or isDelivery(parentKey, parent)
end

-- removeWaiting(id, lane): takes a job out of the set in which it waits. Returns whether it was in one.
local function removeWaiting(id, lane)
  local found = redis.call('ZREM', KEYS[4], id) + redis.call('ZREM', KEYS[3], id) + removeFromRing(queue.jobs, lane, id)
  if found > 0 then return true end
  local middle = redis.call('LINDEX', KEYS[2], math.floor(redis.call('LLEN', KEYS[2]) / 2))
  return redis.call('LREM', KEYS[2], middle and id < middle and -1 or 1, id) > 0
end

local function cancelWaiting(ending)
  local job = ending.job
  if not isPlain(job, ending.id) then return false end
  local lane, starts = unpack(redis.call('HMGET', job, '${field.lane}', '${field.starts}'))
  if not removeWaiting(ending.id, lane or DEFAULT_LANE) then return false end
  requestCancel(job, now, reason)
  redis.call('ZREM', KEYS[5], ending.id)
  redis.call('LPUSH', KEYS[1], ending.id)
  ending.attempt = starts
  if endLeanJob(queue, ending, now) ~= ENDED then return false end
  -- It held no slot: the release of its last one is charged, and the time since its last start is not a run.
  ending.ranMs = nil
  return true
end

local results, ended = {}, {}
for at = FIXED + 1, #ARGV, FIELDS do
  local id, name, tenant, idempotency, tools, agent = unpack(ARGV, at, at + FIELDS - 1)
  local job = queue.jobs .. id
  local ending = { id = id, job = job, lock = job .. ':lock', name = name, tenant = tenant, idempotency = idempotency, tools = tools, agent = agent,
    token = '', value = failure, isSuccess = false, holder = false, hasChildren = false }
  local isCancelled = cancelWaiting(ending)
  results[#results + 1] = isCancelled and 1 or 0
  if isCancelled then ended[#ended + 1] = ending end
end
settleEnded(queue, ended, now, rules, true)
return results
