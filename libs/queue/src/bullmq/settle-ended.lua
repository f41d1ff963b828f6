-- @include layout.lua
-- @include ../fair/charge-tenants.lua
-- @include ../state/record-duration.lua
-- @include ../state/record-change.lua
-- @include ../state/publish-end.lua
-- @include ../state/publish-together.lua
-- @include ../suspend/resume-waiters.lua for resumeWaiters
-- @include ../suspend/wait-index.lua for removeWaits
-- @include ../stats/note-stats.lua
-- @include ../redis/digits.lua
local IDEMPOTENCY_KEY_SECONDS = 86400

-- add(groups, name, value, more): appends one or two values to the list of a group.
local function add(groups, name, value, more)
  local list = groups[name]
  if not list then
    list = {}
    groups[name] = list
  end
  list[#list + 1] = value
  if more then list[#list + 1] = more end
end

-- settleIndex(tenant, ended, queue, change): moves the invocations of one tenant to the status sets of their ends and to the end of its order of
-- changes, with the numbers from `change` on. Only those that were suspended once can be in the index of waits.
local function settleIndex(tenant, ended, queue, change)
  local index, members = '${prefix}:index:' .. tenant .. ':', {}
  local sets, changed = {}, {}
  for n, ending in ipairs(ended) do
    members[n] = string.sub(ending.id, #'inv_' + 1)
    add(sets, ending.status, 0, members[n])
    add(changed, 1, digits(change + n - 1), members[n])
  end
  -- Most are in the first of these sets.
  local left = #members
  for _, set in ipairs({ 'waiting:' .. queue.name, 'waiting:invocations', 'waiting:scripts', 'later' }) do
    if left > 0 then left = left - redis.call('ZREM', index .. set, unpack(members)) end
  end
  if left > 0 and redis.call('ZREM', index .. 'parked', unpack(members)) > 0 then
    for _, ending in ipairs(ended) do removeWaits(queue.jobs .. ending.id) end
  end
  for status, scored in pairs(sets) do redis.call('ZADD', index .. status, unpack(scored)) end
  redis.call('ZADD', index .. 'changed', unpack(changed[1]))
end

-- waitersOf(id): the key of the invocations that wait for an invocation.
local function waitersOf(id) return '${prefix}:waiters:' .. id end

-- resumeWaitersOf(ended, now): makes the invocations due that wait for ended ones.
local function resumeWaitersOf(ended, now)
  local delayed, marker = '${prefix}:invocations:delayed', '${prefix}:invocations:marker'
  for _, ending in ipairs(ended) do resumeWaiters(waitersOf(ending.id), delayed, marker, now, '${prefix}:invocations:') end
end

-- publishEnds(ended): publishes the end of each job, with its result if a request awaits it and the job has it all.
local function publishEnds(ended)
  local more = {}
  for _, ending in ipairs(ended) do
    if ending.run then add(more, 'keys', moreOf(ending.id)) end
  end
  local someHaveMore = more.keys and redis.call('EXISTS', unpack(more.keys)) > 0
  local messages = {}
  for n, ending in ipairs(ended) do
    local isWhole = ending.run and not (someHaveMore and redis.call('EXISTS', moreOf(ending.id)) > 0)
    messages[n] = endMessage(ending.id, isWhole and ending.run or nil)
  end
  publishTogether(messages)
end

-- settleEnded(queue, ended, now, rules, mayHaveWaiters): does what follows the end of jobs: locks, BullMQ's sets of ended jobs, deliveries, costs of
-- tenants, durations, waiting invocations, the search index, statistics, notifications and idempotency keys. `mayHaveWaiters`: others may wait for one.
local function settleEnded(queue, ended, now, rules, mayHaveWaiters)
  if #ended == 0 then return end
  local locks, ids, sets, ran, tools, tenants, noted, endedAt = {}, {}, {}, {}, {}, {}, {}, digits(now)
  for n, ending in ipairs(ended) do
    locks[n], ids[n] = ending.lock, ending.id
    add(sets, ending.isSuccess and 'completed' or 'failed', endedAt, ending.id)
    if ending.ranMs then add(ran, 1, math.max(0, ending.ranMs)) end
    if ending.status == 'succeeded' then add(tools, ending.name, math.max(0, ending.ranMs or 0)) end
    if ending.tenant ~= '' then
      add(tenants, ending.tenant, ending)
      noted[#noted + 1] = endedEntry(ending, queue.name, endedAt)
    end
    if ending.idempotency ~= '' then redis.call('EXPIRE', ending.idempotency, IDEMPOTENCY_KEY_SECONDS) end
  end
  redis.call('DEL', unpack(locks))
  redis.call('SREM', queue.jobs .. 'stalled', unpack(ids))
  for set, scored in pairs(sets) do redis.call('ZADD', queue.jobs .. set, unpack(scored)) end
  releaseDeliveries(ended)
  chargeTenants(queue.jobs, ended, rules)
  if ran[1] then recordDurations('${prefix}:runs:' .. queue.name, ran[1]) end
  for name, durations in pairs(tools) do recordDurations('${prefix}:runs:' .. name, durations) end
  if mayHaveWaiters then resumeWaitersOf(ended, now) end
  local change = #noted > 0 and nextChange('${changeClock}', #noted)
  for tenant, some in pairs(tenants) do
    settleIndex(tenant, some, queue, change)
    change = change + #some
  end
  noteStats(noted)
  publishEnds(ended)
end
