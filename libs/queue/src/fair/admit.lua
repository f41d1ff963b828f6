-- Admission: moves the next jobs of the lanes to BullMQ's waiting list, from which BullMQ's script (or another) takes them.
-- @include lanes.lua
-- @include ring.lua
-- @include remove-from-ring.lua
-- @include slot-share.lua

-- takeFromTenant(base, level, tenant, time, isAlone, most): takes the next job of a tenant. If only one lane has jobs, it takes up to `most` of
-- them, and charges nobody. Returns the ids: none if the lane was empty.
local function takeFromTenant(base, level, tenant, time, isAlone, most)
  local name = level .. ':' .. tenant
  local key, keyTime, other = unpack(redis.call('ZRANGE', base .. 'ring:' .. name, 0, 1, 'WITHSCORES'))
  local ids, laneStays = {}, nil
  if key then
    local jobs = base .. 'lane:' .. name .. ':' .. key
    local scored = redis.call('ZPOPMIN', jobs, isAlone and not other and most or 1)
    for n = 1, #scored, 2 do ids[#ids + 1] = scored[n] end
    laneStays = redis.call('EXISTS', jobs) == 1
    passTurn(base, name, key, keyTime, 1, not other, laneStays)
  end
  local stays = laneStays or other ~= nil
  passTurn(base, level, tenant, time, isAlone and 0 or 1 / weightOf(tenant), isAlone, stays)
  local isEmpty = isAlone and not stays
  if isEmpty then redis.call('ZREM', base .. 'levels', level) end
  if #ids > 0 then countLeft(base, tenant, isEmpty, #ids) end
  return ids
end

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

-- nextTenant(base, level, share): the tenant that is served next, its virtual time, and whether it is the only one. Tenants at their share of
-- the slots are passed over, and get no credit for it.
local function nextTenant(base, level, share)
  local ring = base .. 'ring:' .. level
  local found = redis.call('ZRANGE', ring, 0, share and share.most or 1, 'WITHSCORES')
  for n = 1, #found, 2 do
    if not share or not share.isReached(found[n], #found > 2) then
      for before = 1, n - 2, 2 do redis.call('ZADD', ring, found[n + 1], found[before]) end
      return found[n], found[n + 1], #found == 2
    end
  end
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
    local tenant, time, isAlone = nextTenant(base, levels[at], share)
    if tenant then
      local ids = storedOf(prefix, takeFromTenant(base, levels[at], tenant, time, isAlone, share and 1 or free - admitted))
      if #ids > 0 then
        redis.call('LPUSH', wait, unpack(ids))
        admitted = admitted + #ids
        if share then share.count(tenant) end
      end
    else
      at = at + 1
    end
  end
  return admitted, false
end
