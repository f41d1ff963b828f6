-- @include ../bullmq/bull-event.lua
-- @include ../bullmq/end-code.lua
-- @include ../fair/charge-tenants.lua
-- @include ../redis/digits.lua
local END_FIELDS = 5

-- endDelivery(queue, ending, now): ends one delivery as BullMQ's `moveToFinished` does, and adds the line of its attempt to its log. `queue` has
-- `jobs` (prefix of job keys) and `active`. `ending` has `id`, `token`, `attempt` (count of starts), `holder` (token of its lock, or false),
-- `value` (JSON of its result) and `line` ('' for none). After ENDED it also has `lane`, `ranMs`, and `isNew` unless an earlier call has ended it.
-- Returns ENDED or LOST.
local function endDelivery(queue, ending, now)
  local id, job = ending.id, queue.jobs .. ending.id
  local starts, endedOn, startedOn, failures, lane =
    unpack(redis.call('HMGET', job, '${field.starts}', 'finishedOn', 'processedOn', '${field.failures}', '${field.lane}'))
  local known = knownCode(ending, starts, endedOn)
  if known then return known end
  if redis.call('LREM', queue.active, -1, id) < 1 then return LOST end
  redis.call('HSET', job, 'returnvalue', ending.value, 'finishedOn', digits(now), '${field.failures}', (tonumber(failures) or 0) + 1)
  if ending.line ~= '' then redis.call('RPUSH', job .. ':logs', ending.line) end
  bullEvent(queue.jobs, 'completed', id, 'returnvalue', ending.value, 'prev', 'active')
  ending.isNew, ending.lane, ending.ranMs = true, lane or DEFAULT_LANE, startedOn and now - startedOn
  return ENDED
end

-- settleDeliveries(queue, ended, now, rules): does what follows the end of deliveries: locks, BullMQ's sets, costs of tenants. A delivery that BullMQ's
-- script has released also has a copy of the result of its invocation (`:processed`), which is removed.
local function settleDeliveries(queue, ended, now, rules)
  if #ended == 0 then return end
  local ids, gone, scored = {}, {}, {}
  for n, ending in ipairs(ended) do
    local job = queue.jobs .. ending.id
    ids[n] = ending.id
    gone[2 * n - 1], gone[2 * n] = job .. ':lock', job .. ':processed'
    scored[2 * n - 1], scored[2 * n] = digits(now), ending.id
  end
  redis.call('UNLINK', unpack(gone))
  redis.call('SREM', queue.jobs .. 'stalled', unpack(ids))
  redis.call('ZADD', queue.jobs .. 'completed', unpack(scored))
  chargeTenants(queue.jobs, ended, rules)
end

-- endDeliveries(queue, args, first, now, rules): ends deliveries. `args` has five fields for each from place `first` on; finish-deliveries.lua
-- describes them. Returns the code of each.
local function endDeliveries(queue, args, first, now, rules)
  local ends, locks, codes, ended = {}, {}, {}, {}
  for at = first, #args, END_FIELDS do
    local id, token, attempt, value, line = unpack(args, at, at + END_FIELDS - 1)
    ends[#ends + 1] = { id = id, token = token, attempt = attempt, value = value, line = line }
    locks[#locks + 1] = queue.jobs .. id .. ':lock'
  end
  if #ends == 0 then return codes end
  local holders = redis.call('MGET', unpack(locks))
  for n, ending in ipairs(ends) do
    ending.holder = holders[n]
    codes[n] = endDelivery(queue, ending, now)
    if ending.isNew then ended[#ended + 1] = ending end
  end
  settleDeliveries(queue, ended, now, rules)
  return codes
end
