-- Admission: takes the next jobs out of the lanes, for a script that starts them or for BullMQ's waiting list, from which BullMQ's scripts take them.
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

-- nextOfLanes(prefix, free, rules): takes the next jobs out of their lanes, as many as there are free slots. `rules`: maxShare (1 for none), slots
-- (of all consumers), now (ms), ending (id of the active job whose slot becomes free, or '').
-- Returns their ids, in order, and whether it found no lane with a job. A job that was removed can be among them.
local function nextOfLanes(prefix, free, rules)
  local base, ids, at = prefix .. 'fair:', {}, 1
  local levels = redis.call('ZRANGE', base .. 'levels', 0, -1)
  if not levels[1] then return ids, true end
  local share = slotShare(prefix, free, rules)
  while #ids < free and levels[at] do
    local most = free - #ids
    local lanes, counts = planLevel(base, levels[at], most, share)
    for _, id in ipairs(popJobs(lanes)) do ids[#ids + 1] = id end
    if #lanes > 0 then countLeft(base, counts) end
    if #lanes < most then at = at + 1 end
  end
  return ids, false
end

-- admitNext(prefix, free, rules): moves as many jobs to BullMQ's waiting list as there are free slots, unless other jobs are in BullMQ's sets:
-- those come first. A job that was removed is left out. `rules`: those of nextOfLanes, and comesFirst (the jobs come before those with a
-- priority in BullMQ's set). Returns the number of admitted jobs.
local function admitNext(prefix, free, rules)
  local wait, admitted = prefix .. 'wait', 0
  free = free - redis.call('LLEN', wait)
  if free < 1 or (not rules.comesFirst and redis.call('ZCARD', prefix .. 'prioritized') > 0) then return 0 end
  repeat
    local next = nextOfLanes(prefix, free - admitted, rules)
    local ids = storedOf(prefix, next)
    if #ids > 0 then redis.call('LPUSH', wait, unpack(ids)) end
    admitted = admitted + #ids
  until admitted == free or #next == 0
  return admitted
end
