-- A ring is a sorted set by virtual time. Its members have waiting jobs: the tenants of a queue, or the keys of a tenant. The first member is
-- served next. Its virtual time then grows by `cost / weight`. Redis keys of a ring, after the prefix `base`:
--   ring:<name>    the virtual time at which each member is served next
--   ahead:<name>   the same for members that have no waiting job now and are ahead of the clock
--   clock:<name>   the virtual time of the member that was served last. Absent: 0
-- An empty ring has no keys. These functions assume that nothing else changes them.

-- forgetRings(base, names): removes the keys of rings that have no members any more.
local function forgetRings(base, names)
  local keys = {}
  for _, name in ipairs(names) do
    for _, kind in ipairs({ 'ring:', 'ahead:', 'clock:' }) do keys[#keys + 1] = base .. kind .. name end
  end
  if #keys > 0 then redis.call('DEL', unpack(keys)) end
end

-- joinRing(base, name, member): adds a member that has its first waiting job. It gets no credit for the time without work. Returns false if the
-- ring already had it.
local function joinRing(base, name, member)
  local ring, ahead = base .. 'ring:' .. name, base .. 'ahead:' .. name
  if redis.call('ZADD', ring, 'NX', 0, member) == 0 then return false end
  if redis.call('ZCARD', ring) == 1 then return true end
  local clock, time = tonumber(redis.call('GET', base .. 'clock:' .. name)) or 0, redis.call('ZSCORE', ahead, member)
  redis.call('ZADD', ring, math.max(clock, tonumber(time) or 0), member)
  if time then redis.call('ZREM', ahead, member) end
  return true
end

-- joinAll(base, name, members): adds several members like joinRing, by few commands for all of them. Those that the ring already has keep their times.
local function joinAll(base, name, members)
  local ring, ahead, scored, missing, left = base .. 'ring:' .. name, base .. 'ahead:' .. name, {}, {}, {}
  if redis.call('EXISTS', ring) == 0 then
    for n, member in ipairs(members) do scored[2 * n - 1], scored[2 * n] = 0, member end
    redis.call('ZADD', ring, unpack(scored))
    return
  end
  for n, time in ipairs(redis.call('ZMSCORE', ring, unpack(members))) do
    if not time then missing[#missing + 1] = members[n] end
  end
  if #missing == 0 then return end
  local clock = tonumber(redis.call('GET', base .. 'clock:' .. name)) or 0
  for n, time in ipairs(redis.call('ZMSCORE', ahead, unpack(missing))) do
    scored[2 * n - 1], scored[2 * n] = math.max(clock, tonumber(time or 0)), missing[n]
    if time then left[#left + 1] = missing[n] end
  end
  redis.call('ZADD', ring, unpack(scored))
  if #left > 0 then redis.call('ZREM', ahead, unpack(left)) end
end

-- leaveRing(base, name, member): removes a member whose last job was taken away. Returns whether the ring is empty now.
local function leaveRing(base, name, member)
  local ring = base .. 'ring:' .. name
  local time = redis.call('ZSCORE', ring, member)
  redis.call('ZREM', ring, member)
  if redis.call('EXISTS', ring) == 0 then
    forgetRings(base, { name })
    return true
  end
  local clock = tonumber(redis.call('GET', base .. 'clock:' .. name)) or 0
  if time and tonumber(time) > clock then redis.call('ZADD', base .. 'ahead:' .. name, time, member) end
  return false
end

-- chargeAhead(ahead, clock, members, steps): corrects the virtual times of members without waiting jobs by their steps. `ahead` keeps only
-- those ahead of the clock.
local function chargeAhead(ahead, clock, members, steps)
  local scored, behind = {}, {}
  for n, time in ipairs(redis.call('ZMSCORE', ahead, unpack(members))) do
    local corrected = tonumber(time or clock) + steps[members[n]]
    if corrected > clock then
      scored[#scored + 1] = corrected
      scored[#scored + 1] = members[n]
    else
      behind[#behind + 1] = members[n]
    end
  end
  if #scored > 0 then redis.call('ZADD', ahead, unpack(scored)) end
  if #behind > 0 then redis.call('ZREM', ahead, unpack(behind)) end
end

-- chargeInRing(base, name, steps): corrects the virtual times of members by their steps. They stay at the clock or after it. The time of a member
-- that is alone is not corrected.
local function chargeInRing(base, name, steps)
  local ring, ahead = base .. 'ring:' .. name, base .. 'ahead:' .. name
  local first, second = unpack(redis.call('ZRANGE', ring, 0, 1))
  if not first then return end
  if not second then steps[first] = nil end
  local members = {}
  for member in pairs(steps) do members[#members + 1] = member end
  if #members == 0 then return end
  local clock = tonumber(redis.call('GET', base .. 'clock:' .. name)) or 0
  local scored, gone = {}, {}
  for n, time in ipairs(redis.call('ZMSCORE', ring, unpack(members))) do
    if time then
      scored[#scored + 1] = math.max(clock, time + steps[members[n]])
      scored[#scored + 1] = members[n]
    else
      gone[#gone + 1] = members[n]
    end
  end
  if #scored > 0 then redis.call('ZADD', ring, unpack(scored)) end
  if #gone > 0 then chargeAhead(ahead, clock, gone, steps) end
end
