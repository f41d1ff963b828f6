-- The conditions of a list, for one invocation after the other. A plan has these fields; absent ones do not limit the list:
--   all: sets (numbers of KEYS) of which each must contain the invocation
--   any: sets of which at least one must contain it
--   open: the wanted statuses of open invocations, if not all of them are wanted
--   jobs: prefixes of the keys of their jobs, one for each queue
--   lower, upper: bounds of the member, as in ZRANGEBYLEX
--   finished: the first and the last wanted time of the end (ms)
--   error: the type of the error with which it must have ended
-- A plan can also have sources of candidates: `members`, `gather`, `active` and `ended`, see `candidates`.

-- openStatusOf(job, begun, suspended): the status of an open job, as `openStatus` in stored-job.ts derives it.
local function openStatusOf(job, begun, suspended)
  if begun and redis.call('EXISTS', job .. ':lock') == 1 then return 'running' end
  if suspended == 'answer' then return 'waiting_external' end
  return suspended == 'time' and 'running' or 'queued'
end

-- errorOf(cancelled, returned, failure): the type of the error of an ended job, as `failureOf` in read-invocation.ts derives it; nil for none.
local function errorOf(cancelled, returned, failure)
  if cancelled then return 'CancelledError' end
  if returned and returned ~= 'null' then return nil end
  local isRead, known = pcall(cjson.decode, failure or '')
  return isRead and type(known) == 'table' and type(known.type) == 'string' and known.type or 'LostError'
end

-- errorFits(plan, job): whether the ended job has the wanted error.
local function errorFits(plan, job)
  if not plan.error then return true end
  return errorOf(unpack(redis.call('HMGET', job, '${field.cancelRequestedAt}', 'returnvalue', 'failedReason'))) == plan.error
end

-- jobFits(plan, member): whether the end, the error or the open status of the job fits. A missing job fits: see `matches`.
local function jobFits(plan, member)
  for _, prefix in ipairs(plan.jobs) do
    local job = prefix .. 'inv_' .. member
    local accepted, finished, begun, processed, suspended =
      unpack(redis.call('HMGET', job, 'timestamp', 'finishedOn', '${field.begunAt}', 'processedOn', '${field.suspended}'))
    if accepted then
      local ended = tonumber(finished or nil)
      if plan.finished and not (ended ~= nil and ended >= plan.finished[1] and ended <= plan.finished[2]) then return false end
      if plan.finished or plan.error then return ended ~= nil and errorFits(plan, job) end
      return ended ~= nil or plan.open[openStatusOf(job, begun or processed, suspended)] == true
    end
  end
  return true
end

local function isWithin(plan, member)
  local upper, lower = plan.upper, plan.lower
  if upper ~= '+' and member >= string.sub(upper, 2) then return false end
  return lower == '-' or member >= string.sub(lower, 2)
end

-- matches(plan, member): whether the invocation fulfils the plan. An entry whose job was removed by hand matches every status: the reader
-- of the list removes the entry.
local function matches(plan, member)
  if not isWithin(plan, member) then return false end
  for _, set in ipairs(plan.all) do
    if not redis.call('ZSCORE', KEYS[set], member) then return false end
  end
  local isInAny = #plan.any == 0
  for _, set in ipairs(plan.any) do
    if redis.call('ZSCORE', KEYS[set], member) then
      isInAny = true
      break
    end
  end
  if not isInAny then return false end
  return not (plan.open or plan.finished or plan.error) or jobFits(plan, member)
end

-- candidates(plan): the members of the short sources of a plan, each once: given ones (`members`), those of whole sets (`gather`), those of
-- BullMQ's lists of active jobs (`active`), and those of BullMQ's sets of ended jobs (`ended`) within `finished`.
local function candidates(plan)
  local found, known = {}, {}
  local function add(member)
    if member and not known[member] then
      known[member] = true
      found[#found + 1] = member
    end
  end
  for _, member in ipairs(plan.members) do add(member) end
  for _, set in ipairs(plan.gather) do
    for _, member in ipairs(redis.call('ZRANGE', KEYS[set], 0, -1)) do add(member) end
  end
  -- The ids of scripts that run for steps have a dot.
  for _, list in ipairs(plan.active) do
    for _, id in ipairs(redis.call('LRANGE', KEYS[list], 0, -1)) do add(string.match(id, '^inv_(%w+)$')) end
  end
  for _, set in ipairs(plan.ended) do
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[set], plan.finished[1], plan.finished[2])) do
      add(string.match(id, '^inv_(%w+)$'))
    end
  end
  return found
end
