-- @include lanes.lua
-- @include ring.lua
-- @include count-waiting.lua
-- @include ../redis/digits.lua
local COMING, PRIORITY_STEP = 0x80000000, 0x100000000
-- At most so many jobs of one lane wait in BullMQ's list, and so many are moved from there to their lanes at once.
local MOST_IN_LIST = 100

-- laneOfList(prefix): the lane of the newest job in BullMQ's list, or nil for an empty list.
local function laneOfList(prefix)
  local newest = redis.call('LINDEX', prefix .. 'wait', 0)
  return newest and (redis.call('HGET', prefix .. newest, '${field.lane}') or DEFAULT_LANE) or nil
end

-- mayWaitInList(prefix, lane, count): whether so many jobs of a lane may wait in BullMQ's list: no lane has jobs, and all in the list are of this
-- lane, so there is nobody to be fair to. `prefix` is that of the queue's keys, with a colon at its end.
local function mayWaitInList(prefix, lane, count)
  if redis.call('EXISTS', prefix .. 'fair:levels') == 1 then return false end
  local waiting = redis.call('LLEN', prefix .. 'wait')
  return waiting + count <= MOST_IN_LIST and (waiting == 0 or laneOfList(prefix) == lane)
end

-- listIn(lists, lane): the list of a lane among those for putAllInRing.
local function listIn(lists, lane)
  if not lists[lane] then
    lists[lane] = { lane = lane, ids = {} }
    lists[#lists + 1] = lists[lane]
  end
  return lists[lane]
end

local moveShortList

-- joinLevel(prefix, level, tenants): lets tenants have their turns.
local function joinLevel(prefix, level, tenants)
  local base = prefix .. 'fair:'
  joinAll(base, level, tenants)
  if redis.call('ZADD', base .. 'levels', level, level) == 1 then moveShortList(prefix) end
end

-- The score of a job in its lane: its priority times 2^32, plus 2^31 for a new job, so that returning jobs come first, plus a running number.
--
-- putInRing(prefix, lane, id, priority, returns): adds a job to its lane, behind the jobs of the same priority. A job that `returns` (a retry,
-- a woken or delayed job, a job of a dead process) goes before all that have not been taken yet.
local function putInRing(prefix, lane, id, priority, returns)
  local base = prefix .. 'fair:'
  local level, tenant, key = partsOfLane(lane)
  local jobs = base .. 'lane:' .. lane
  local number = redis.call('INCR', base .. 'put') % COMING
  redis.call('ZADD', jobs, digits(priority * PRIORITY_STEP + (returns and 0 or COMING) + number), id)
  countOfTenants(base, { [tenant] = 1 })
  if joinRing(base, level .. ':' .. tenant, key) then joinLevel(prefix, level, { tenant }) end
end

-- putAllInRing(prefix, lists, priority, returns): adds jobs of the same priority to their lanes, in order. `lists`: for each lane `lane` and `ids`
-- (listIn); `returns` as in putInRing.
local function putAllInRing(prefix, lists, priority, returns)
  local base, total, joined, changes = prefix .. 'fair:', 0, {}, {}
  for _, list in ipairs(lists) do total = total + #list.ids end
  local number = redis.call('INCRBY', base .. 'put', total) - total
  for _, list in ipairs(lists) do
    local level, tenant, key = partsOfLane(list.lane)
    local scored = {}
    for n, id in ipairs(list.ids) do
      number = number + 1
      scored[2 * n - 1], scored[2 * n] = digits(priority * PRIORITY_STEP + (returns and 0 or COMING) + number % COMING), id
    end
    redis.call('ZADD', base .. 'lane:' .. list.lane, unpack(scored))
    changes[tenant] = (changes[tenant] or 0) + #list.ids
    if joinRing(base, level .. ':' .. tenant, key) then
      joined[level] = joined[level] or {}
      table.insert(joined[level], tenant)
    end
  end
  countOfTenants(base, changes)
  for level, tenants in pairs(joined) do joinLevel(prefix, level, tenants) end
end

-- wakeConsumer(prefix): sets the marker, unless the queue is paused or runs as many jobs as it may.
local function wakeConsumer(prefix)
  local paused, most = unpack(redis.call('HMGET', prefix .. 'meta', 'paused', 'concurrency'))
  if paused or (most and redis.call('LLEN', prefix .. 'active') >= tonumber(most)) then return end
  redis.call('ZADD', prefix .. 'marker', 0, '0')
end

-- returnToRing(prefix, id): adds a job that is in no set of its queue. A job that was removed is left out. A plain job has no priority field.
local function returnToRing(prefix, id)
  local job = prefix .. id
  local name, priority = unpack(redis.call('HMGET', job, 'name', 'priority'))
  if not name then return end
  putInRing(prefix, keepLane(job), id, tonumber(priority) or 0, true)
  redis.call('ZADD', prefix .. 'marker', 0, '0')
end

-- moveListToLanes(prefix): moves the next jobs of BullMQ's list to their lanes, before all that have not been taken yet.
local function moveListToLanes(prefix)
  local lists = {}
  for _, id in ipairs(redis.call('RPOP', prefix .. 'wait', MOST_IN_LIST) or {}) do
    local job = prefix .. id
    if redis.call('EXISTS', job) == 1 then table.insert(listIn(lists, keepLane(job)).ids, id) end
  end
  if #lists > 0 then putAllInRing(prefix, lists, 0, true) end
end

-- moveShortList(prefix): moves the jobs of BullMQ's list to their lanes once other lanes have jobs, which must not wait for all of the list. They may
-- wait for one. A longer list is that of an older version or of another program, and starts first.
moveShortList = function(prefix)
  local waiting = redis.call('LLEN', prefix .. 'wait')
  if waiting > 1 and waiting <= MOST_IN_LIST then moveListToLanes(prefix) end
end

-- divertWaiting(prefix, rules): where the slots of a tenant are bounded, moves what waits in BullMQ's list to the lanes, which know the bound.
local function divertWaiting(prefix, rules)
  if rules.maxShare < 1 then moveListToLanes(prefix) end
end

-- divertToRing(prefix, lane, id, priority): takes a job that BullMQ's script has just added out of the set in which it waits, and adds it to
-- its lane. BullMQ's script has set the marker.
local function divertToRing(prefix, lane, id, priority)
  local found
  if priority == 0 then found = redis.call('LREM', prefix .. 'wait', 1, id)
  else found = redis.call('ZREM', prefix .. 'prioritized', id) end
  if found == 1 then putInRing(prefix, lane, id, priority, false) end
end

-- openLanes(prefix, held): whether jobs wait in lanes. If a job of another lane has held a slot while more than one waits in BullMQ's list, these
-- are moved to their lanes first, so that it is charged. `held` as in chargeAll.
local function openLanes(prefix, held)
  local waiting = redis.call('EXISTS', prefix .. 'fair:levels', prefix .. 'wait')
  if waiting == 0 then return false end
  local lane = waiting == 1 and laneOfList(prefix)
  -- Without a job in BullMQ's list, it is the lanes that have some.
  if not lane then return true end
  for _, each in ipairs(held) do
    if each.lane ~= lane then
      moveShortList(prefix)
      return redis.call('EXISTS', prefix .. 'fair:levels') == 1
    end
  end
  return false
end
