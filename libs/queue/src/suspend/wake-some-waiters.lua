-- @include ../bullmq/layout.lua
-- @include ../fair/lanes.lua
-- @include ../state/record-change.lua

-- How many waiters this run of a script may still wake. Any number of invocations may wait for the same one, and a script blocks Redis for
-- all tenants.
local wakesAllowed = 500

-- wakeWaiter(job, id, delayed): stores that the wait of an invocation has ended. An invocation that has not suspended yet will not suspend.
-- Returns its tenant if it is suspended, so that it must become due.
local function wakeWaiter(job, id, delayed)
  local accepted, ended, suspended, lane = unpack(redis.call('HMGET', job, 'timestamp', 'finishedOn', '${field.suspended}', '${field.lane}'))
  if not accepted or ended then return nil end
  if not suspended or not redis.call('ZSCORE', delayed, id) then
    redis.call('HSET', job, '${field.answered}', 1)
    return nil
  end
  redis.call('HSET', job, '${field.answered}', 1, '${field.suspended}', 'woken')
  local _, tenant = partsOfLane(lane or laneOf(job))
  return tenant
end

-- recordWakes(tenant, ids): moves the woken invocations of a tenant to the end of its order of changes, as `recordChange` does.
local function recordWakes(tenant, ids)
  local change, entries = nextChange('${changeClock}', #ids), {}
  for n, id in ipairs(ids) do
    entries[2 * n - 1] = digits(change + n - 1)
    entries[2 * n] = string.sub(id, #'inv_' + 1)
  end
  redis.call('ZADD', '${prefix}:index:' .. tenant .. ':changed', 'XX', unpack(entries))
end

-- wakeSome(waiters, delayed, marker, now, jobs): takes as many waiters out of the set as this run may wake, and makes them due. Returns whether
-- the set has more. `jobs` is the prefix of their job keys. A waiter in another shard has a `>` before its id: it is noted, and a process
-- wakes it there (`shards/wake-waiters.ts`). The name of the notes is also that of the notification.
local function wakeSome(waiters, delayed, marker, now, jobs)
  local ids, due, woken, notes = redis.call('SPOP', waiters, wakesAllowed), {}, {}, {}
  wakesAllowed = wakesAllowed - #ids
  for _, id in ipairs(ids) do
    local isFar = string.sub(id, 1, 1) == '>'
    if isFar then notes[#notes + 1] = string.sub(id, 2) end
    local tenant = not isFar and wakeWaiter(jobs .. id, id, delayed)
    if tenant then
      due[#due + 1] = scoreOfTime(now)
      due[#due + 1] = id
      woken[tenant] = woken[tenant] or {}
      table.insert(woken[tenant], id)
    end
  end
  if #due > 0 then
    redis.call('ZADD', delayed, unpack(due))
    redis.call('ZADD', marker, now, '1')
  end
  if #notes > 0 then
    redis.call('SADD', '${prefix}:far-waiters', unpack(notes))
    redis.call('PUBLISH', '${notifications}', '${prefix}:far-waiters')
  end
  for tenant, some in pairs(woken) do recordWakes(tenant, some) end
  return wakesAllowed == 0 and redis.call('EXISTS', waiters) == 1
end
