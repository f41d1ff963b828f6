-- Adds jobs, each after its pending delivery, and adds them to the index. Unless it may wait in BullMQ's list, a job that is ready is then moved
-- to its lane. Only plain jobs are added without BullMQ's scripts. A queue that holds its bound takes nothing:
-- `bounds.waiting` bounds jobs that are ready, and `bounds.delayed` jobs that were submitted with a delay and are not due. The latter are
-- counted in a set of their own, because suspended jobs and retries wait in BullMQ's delayed set, too.
-- A job that exists already stays as it is. The idempotency key of a job points to it from now on. Its push deliveries get their first status.
--
-- KEYS: the plan names them by number
-- ARGV: 1 the plan (JSON, from planBatch), 2 options of `deliveries` ('' without any), 3 and on: options of each kind; then for each job its
--   data, the data of its delivery if it has one, and the text that it came as if that is kept
-- Effects: each stored invocation gets a number in the order of changes and an entry in the log of statistics. A turn of an agent gets its
--   place in the order of turns, and its session exists from now on
-- Result: for each job 1 (it exists), 0 (the queue is full) or BullMQ's error code (below 0)
--
-- Fields of the plan. [key] is the number of a key in KEYS, and [keys] a list of such numbers. Most jobs of a run differ only in tenant, id, time
-- and data. A kind has what they have in common. A group has the fields of one tenant for jobs of one kind.
--   bounds                     `waiting` and `delayed`: the highest number of such jobs of a queue; 0 for no bound
--   now                        ms
--   claimSeconds               life of an idempotency key
--   sessionSeconds             life of a session after its last turn
--   clock [key]                clock of changes
--   deliveries                 the template of deliveries of jobs that are not plain: `add`, `keys` and `jobs` as in a kind; may be absent
--   deliveryOptions            options (JSON) of the deliveries of plain jobs; absent to store none
--   kinds                      what the jobs of several groups have in common
--   groups                     what several jobs of one kind and one tenant have in common
--   groupOf                    the number of the group of each job (from 1), in the order of the result
--   ids                        the id of each job
--   times                      when each was accepted (ms, as a text)
--   more                       what only some jobs have
--
-- Fields of a kind:
--   queue, priority            of its jobs
--   delayMs                    0 for none
--   jobs                       prefix of the queue's keys
--   isPlain                    true for plain jobs (add-plain-jobs.lua); absent for others
--   add, keys [keys]           of others: the script of BullMQ that adds them, and its KEYS
--   counted [keys]             the sets whose sizes are compared with the bound: the jobs submitted with a delay, or `wait` and `prioritized`; absent
--                              for ready jobs without a bound
--   name                       of the BullMQ jobs
--   awaited                    true if a request waits for the end of each
--   tools, agent               for the log of statistics, see acceptedJson; may be absent
-- `prepare` replaces `keys` by the names of the keys, and adds:
--   options                    from ARGV
--   bound                      the highest number of counted jobs; 0 for no bound
--   count                      the name under which `held` counts them
--   later                      the set of the jobs submitted with a delay (score: due time in ms); nil for ready jobs
--
-- Fields of a group:
--   kind                       the number of its kind; the script replaces it by the kind
--   lane                       of its jobs
--   changed [key]              order of changes of the tenant
--   statusSet [key]            the status set in which an accepted invocation begins
--   indexSets [keys]           further sets of the search index
-- and, once the script has prepared it:
--   accepted                   the JSON of its entries in the log of statistics
--
-- Fields of `more`; those after `job` may be absent:
--   job                        the number of the job, from 1
--   turns                      its places as a turn of agents: `turns` [key] order of turns, `session` [key], `name` of the session, `agent`, `member`
--                              of the order, and `prefixes` of the keys of conversations
--   delivery, deliveries [key] id of its delivery, and the index of the deliveries of its tenant
--   key [key], claim           its idempotency key, and the value that points to the job
--   pushes                     its push deliveries (JSON: configuration id to job id)
--   source [key]               where the text that it came as is kept
--
-- `addStandardJob`, `addDelayedJob`, `addPrioritizedJob` and `addParentJob` are BullMQ's scripts of these names as functions (asFunction in
-- ../bullmq/layout.ts).
-- @include ../state/record-change.lua
-- @include ../bullmq/layout.lua
-- @include ../push/push-status.lua for pushStatus
-- @include ../sessions/keep-session.lua for touchSession, keepAtLeast
-- @include add-plain-jobs.lua
-- @include ../fair/count-waiting.lua
-- @include ../stats/note-accepted.lua
-- @include ../redis/digits.lua
local add = {
  addStandardJob = addStandardJob,
  addDelayedJob = addDelayedJob,
  addPrioritizedJob = addPrioritizedJob,
  addParentJob = addParentJob,
}
local plan = cjson.decode(ARGV[1])
local function named(numbers)
  local keys = {}
  for n, number in ipairs(numbers) do keys[n] = KEYS[number] end
  return keys
end
-- How many jobs each bounded queue has, by the field `count` of a kind.
local held = {}
local function prepare(template, options)
  template.keys, template.options, template.bound = named(template.keys or {}), options, 0
  if not template.counted then return end
  local first, prioritized = unpack(named(template.counted))
  if template.delayMs > 0 then
    redis.call('ZREMRANGEBYSCORE', first, '-inf', plan.now)
    template.later, template.bound, template.count = first, plan.bounds.delayed, template.queue .. ' delayed'
    held[template.count] = redis.call('ZCARD', first)
  else
    template.bound, template.count = plan.bounds.waiting, template.queue
    held[template.count] = redis.call('LLEN', first) + redis.call('ZCARD', prioritized) + countInRing(template.jobs)
  end
end
if plan.deliveries then prepare(plan.deliveries, ARGV[2]) end
for n, kind in ipairs(plan.kinds) do prepare(kind, ARGV[2 + n]) end
for _, group in ipairs(plan.groups) do
  group.kind = plan.kinds[group.kind]
  group.accepted = acceptedJson(group.kind, group.lane)
end
local NOTHING, moreOf = {}, {}
for _, more in ipairs(plan.more) do moreOf[more.job] = more end

local function store(template, id, name, at, data, parent)
  local args = { template.jobs, id, name, tonumber(at) }
  if parent then
    local key = plan.deliveries.jobs .. parent
    args[5], args[6] = key, key .. ':dependencies'
    args[7] = { id = parent, queueKey = '${prefix}:${deliveries}', rdof = true }
  end
  local reply = add[template.add](template.keys, { cmsgpack.pack(args), data, template.options })
  return type(reply) == 'number' and reply < 0 and reply or 1
end
-- Once a job of a queue has gone to its lane, all others of this run do.
local diverts = {}
local function addByBullmq(group, id, at, data, delivery, deliveryData)
  local kind = group.kind
  listPlain(diverts)
  local code = deliveryData and store(plan.deliveries, delivery, '${deliveries}', at, deliveryData) or 1
  diverts[kind.jobs] = diverts[kind.jobs] or kind.priority > 0 or not mayWaitInList(kind.jobs, group.lane, 1)
  if code == 1 then code = store(kind, id, kind.name, at, data, delivery) end
  if code ~= 1 then return code end
  redis.call('HSET', kind.jobs .. id, '${field.lane}', group.lane)
  if kind.delayMs == 0 and diverts[kind.jobs] then divertToRing(kind.jobs, group.lane, id, kind.priority) end
  return 1
end
local entries, accepted, counts = {}, {}, {}
local function index(set, member, score)
  local members = entries[set] or {}
  entries[set] = members
  members[#members + 1] = score or '0'
  members[#members + 1] = member
end
-- A job exists if its submission was sent again after a lost connection. That is rare, and looked for once for all jobs.
local names, seen = {}, {}
for n, id in ipairs(plan.ids) do names[n] = plan.groups[plan.groupOf[n]].kind.jobs .. id end
local someExist = redis.call('EXISTS', unpack(names)) > 0
local function exists(name)
  local known = seen[name]
  seen[name] = true
  return known or (someExist and redis.call('EXISTS', name) == 1)
end
local position = 2 + #plan.kinds
local function nextArgument()
  position = position + 1
  return ARGV[position]
end
local function enqueue(n, id, group, more)
  local kind, job, at, data = group.kind, names[n], plan.times[n], nextArgument()
  local deliveryData = more.delivery and nextArgument()
  local source = more.source and nextArgument()
  if exists(job) then return 1 end
  if kind.bound > 0 and held[kind.count] >= kind.bound then return 0 end
  local code = 1
  if kind.isPlain then
    storePlain(group, id, at, data)
    if deliveryData then storeDelivery(job, at, more.delivery, deliveryData, plan.deliveryOptions) end
  else
    code = addByBullmq(group, id, at, data, more.delivery, deliveryData)
    if code ~= 1 then return code end
  end
  if source then redis.call('SET', KEYS[more.source], source) end
  if more.pushes then
    redis.call('HSET', job, '${field.pushes}', more.pushes)
    pushStatus(job, 'queued')
  end
  if kind.bound > 0 then held[kind.count] = held[kind.count] + 1 end
  if kind.later then
    redis.call('ZADD', kind.later, at + kind.delayMs, id)
    local last = redis.call('ZRANGE', kind.later, -1, -1, 'WITHSCORES')
    redis.call('PEXPIREAT', kind.later, last[2])
  end
  local member = string.sub(id, #'inv_' + 1)
  index(group.statusSet, member)
  accepted[#accepted + 1] = n
  for _, set in ipairs(group.indexSets) do index(set, member) end
  if more.delivery then index(more.deliveries, member) end
  countAccepted(counts, at, group.accepted)
  return 1
end
local codes = {}
for n, id in ipairs(plan.ids) do
  local more = moreOf[n] or NOTHING
  codes[n] = enqueue(n, id, plan.groups[plan.groupOf[n]], more)
  if codes[n] == 1 and more.key then redis.call('SET', KEYS[more.key], more.claim, 'EX', plan.claimSeconds) end
end
listPlain(diverts)
local function placeTurn(turn, number, delayMs)
  local seconds, order = plan.sessionSeconds + math.ceil(delayMs / 1000), KEYS[turn.turns]
  redis.call('ZADD', order, number + delayMs * 1000, turn.member)
  touchSession(KEYS[turn.session], turn.name, turn.agent, plan.now, seconds, turn.prefixes)
  redis.call('HINCRBY', KEYS[turn.session], 'turns:' .. turn.agent, 1)
  keepAtLeast(order, seconds)
end
local change = #accepted > 0 and nextChange(KEYS[plan.clock], #accepted)
for at, n in ipairs(accepted) do
  local group, number = plan.groups[plan.groupOf[n]], change + at - 1
  index(group.changed, string.sub(plan.ids[n], #'inv_' + 1), digits(number))
  for _, turn in ipairs((moreOf[n] or NOTHING).turns or NOTHING) do placeTurn(turn, number, group.kind.delayMs) end
end
for set, members in pairs(entries) do redis.call('ZADD', KEYS[set], unpack(members)) end
noteStats(acceptedEntries(counts))
return codes
