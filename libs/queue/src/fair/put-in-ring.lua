-- @include lanes.lua
-- @include ring.lua
-- @include count-waiting.lua
-- @include ../redis/digits.lua
local COMING, PRIORITY_STEP = 0x80000000, 0x100000000
local MOST_DIVERTED = 100

-- isStraight(prefix): whether a job may stay in BullMQ's waiting list: nothing waits, so there is nobody to be fair to.
-- `prefix` is that of the queue's keys, with a colon at its end.
local function isStraight(prefix)
  return redis.call('EXISTS', prefix .. 'fair:levels') == 0 and redis.call('LLEN', prefix .. 'wait') == 0
end

-- joinLevel(base, level, tenants): lets tenants have their turns.
local function joinLevel(base, level, tenants)
  joinAll(base, level, tenants)
  redis.call('ZADD', base .. 'levels', level, level)
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
  if joinRing(base, level .. ':' .. tenant, key) then joinLevel(base, level, { tenant }) end
end

-- putAllInRing(prefix, lists, priority): adds new jobs of the same priority to their lanes, in order. `lists`: for each lane `lane` and `ids`.
local function putAllInRing(prefix, lists, priority)
  local base, total, joined, changes = prefix .. 'fair:', 0, {}, {}
  for _, list in ipairs(lists) do total = total + #list.ids end
  local number = redis.call('INCRBY', base .. 'put', total) - total
  for _, list in ipairs(lists) do
    local level, tenant, key = partsOfLane(list.lane)
    local scored = {}
    for n, id in ipairs(list.ids) do
      number = number + 1
      scored[2 * n - 1], scored[2 * n] = digits(priority * PRIORITY_STEP + COMING + number % COMING), id
    end
    redis.call('ZADD', base .. 'lane:' .. list.lane, unpack(scored))
    changes[tenant] = (changes[tenant] or 0) + #list.ids
    if joinRing(base, level .. ':' .. tenant, key) then
      joined[level] = joined[level] or {}
      table.insert(joined[level], tenant)
    end
  end
  countOfTenants(base, changes)
  for level, tenants in pairs(joined) do joinLevel(base, level, tenants) end
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
  local lane = laneOf(job)
  if lane ~= DEFAULT_LANE then redis.call('HSET', job, '${field.lane}', lane) end
  putInRing(prefix, lane, id, tonumber(priority) or 0, true)
  redis.call('ZADD', prefix .. 'marker', 0, '0')
end

-- divertWaiting(prefix, rules): where the slots of a tenant are bounded, moves what waits in BullMQ's list to the lanes, which know the bound. A
-- job that came while nothing waited is in that list.
local function divertWaiting(prefix, rules)
  if rules.maxShare >= 1 then return end
  for _, id in ipairs(redis.call('RPOP', prefix .. 'wait', MOST_DIVERTED) or {}) do returnToRing(prefix, id) end
end

-- divertToRing(prefix, lane, id, priority): takes a job that BullMQ's script has just added out of the set in which it waits, and adds it to
-- its lane. BullMQ's script has set the marker.
local function divertToRing(prefix, lane, id, priority)
  local found
  if priority == 0 then found = redis.call('LREM', prefix .. 'wait', 1, id)
  else found = redis.call('ZREM', prefix .. 'prioritized', id) end
  if found == 1 then putInRing(prefix, lane, id, priority, false) end
end
