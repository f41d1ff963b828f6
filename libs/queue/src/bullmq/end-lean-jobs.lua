-- @include end-lean-job.lua
-- @include settle-ended.lua
local FIELDS = 10

-- endLeanJobs(queue, args, first, now, rules): ends jobs. `args` has ten fields for each job from place `first` on; finish-and-take.lua describes
-- them. One command finds out whether any of the jobs has children or waiters: most have none. Returns the code of each job (endLeanJob).
local function endLeanJobs(queue, args, first, now, rules)
  local ends, locks, rare = {}, {}, {}
  for at = first, #args, FIELDS do
    local id, token, attempt, success, value, name, tenant, idempotency, tools, agent = unpack(args, at, at + FIELDS - 1)
    local job = queue.jobs .. id
    local lock = job .. ':lock'
    ends[#ends + 1] = { id = id, job = job, lock = lock, token = token, attempt = attempt, isSuccess = success == '1', value = value,
      name = name, tenant = tenant, idempotency = idempotency, tools = tools, agent = agent }
    locks[#locks + 1] = lock
    rare[#rare + 1] = job .. ':dependencies'
    rare[#rare + 1] = job .. ':unsuccessful'
    rare[#rare + 1] = waitersOf(id)
  end
  local hasRare = redis.call('EXISTS', unpack(rare)) > 0
  local codes, ended, holders = {}, {}, redis.call('MGET', unpack(locks))
  for n, ending in ipairs(ends) do
    ending.holder = holders[n]
    ending.hasChildren = hasRare and redis.call('EXISTS', rare[3 * n - 2], rare[3 * n - 1]) > 0
    codes[n] = endLeanJob(queue, ending, now)
    if ending.isNew then ended[#ended + 1] = ending end
  end
  settleEnded(queue, ended, now, rules, hasRare)
  return codes
end
