-- Admission: moves the next jobs of the lanes to BullMQ's waiting list, from which BullMQ's script (or another) takes them.
-- @include remove-from-ring.lua
-- @include slot-share.lua
-- @include plan-turns.lua for planLevel, popJobs

-- storedOf(prefix, ids): the jobs among these that were not removed, in order.
local function storedOf(prefix, ids)
  local jobs, stored = {}, {}
  for n, id in ipairs(ids) do jobs[n] = prefix .. id end
  if #ids == 0 or redis.call('EXISTS', unpack(jobs)) == #ids then return ids end
  for n, id in ipairs(ids) do
    if redis.call('EXISTS', jobs[n]) == 1 then stored[#stored + 1] = id end
  end
  return stored
end

-- admitNext(prefix, free, rules): admits as many jobs as there are free slots, unless other jobs are in BullMQ's sets: those come first. A job
-- that was removed is left out.
-- `rules`: maxShare (1 for none), slots (of all consumers), now (ms), ending (id of the active job whose slot becomes free, or ''), comesFirst (the
-- jobs come before those with a priority in BullMQ's set).
-- Returns the number of admitted jobs, and whether it found no lane with a job.
local function admitNext(prefix, free, rules)
  local base, wait = prefix .. 'fair:', prefix .. 'wait'
  local levels = redis.call('ZRANGE', base .. 'levels', 0, -1)
  if not levels[1] then return 0, true end
  free = free - redis.call('LLEN', wait)
  if free < 1 or (not rules.comesFirst and redis.call('ZCARD', prefix .. 'prioritized') > 0) then return 0, false end
  local share = slotShare(prefix, free, rules)
  local admitted, at = 0, 1
  while admitted < free and levels[at] do
    local most = free - admitted
    local lanes, counts = planLevel(base, levels[at], most, share)
    local ids = storedOf(prefix, popJobs(lanes))
    if #lanes > 0 then countLeft(base, counts) end
    if #lanes < most then at = at + 1 end
    if #ids > 0 then redis.call('LPUSH', wait, unpack(ids)) end
    admitted = admitted + #ids
  end
  return admitted, false
end
