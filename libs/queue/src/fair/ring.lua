-- A ring is a sorted set by virtual time. Its members have waiting jobs: the tenants of a queue, or the keys of a tenant. The first member is
-- served next. Its virtual time then grows by `cost / weight`. Redis keys of a ring, after the prefix `base`:
--   ring:<name>    the virtual time at which each member is served next
--   ahead:<name>   the same for members that have no waiting job now and are ahead of the clock
--   clock:<name>   the virtual time of the member that was served last. Absent: 0
-- An empty ring has no keys. These functions assume that nothing else changes them.

local function forgetRing(base, name) redis.call('DEL', base .. 'ahead:' .. name, base .. 'clock:' .. name) end

-- joinRing(base, name, member): adds a member that has its first waiting job. It gets no credit for the time without work.
local function joinRing(base, name, member)
  local ring, ahead = base .. 'ring:' .. name, base .. 'ahead:' .. name
  if redis.call('EXISTS', ring) == 0 then
    redis.call('ZADD', ring, 0, member)
    return
  end
  if redis.call('ZSCORE', ring, member) then return end
  local clock, left = redis.call('GET', base .. 'clock:' .. name), redis.call('ZSCORE', ahead, member)
  redis.call('ZADD', ring, math.max(tonumber(clock) or 0, tonumber(left) or 0), member)
  if left then redis.call('ZREM', ahead, member) end
end

-- leaveRing(base, name, member): removes a member whose last job was taken away. Returns whether the ring is empty now.
local function leaveRing(base, name, member)
  local ring = base .. 'ring:' .. name
  local time = redis.call('ZSCORE', ring, member)
  redis.call('ZREM', ring, member)
  if redis.call('EXISTS', ring) == 0 then
    forgetRing(base, name)
    return true
  end
  local clock = tonumber(redis.call('GET', base .. 'clock:' .. name)) or 0
  if time and tonumber(time) > clock then redis.call('ZADD', base .. 'ahead:' .. name, time, member) end
  return false
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
  for _, member in ipairs(gone) do
    local corrected = (tonumber(redis.call('ZSCORE', ahead, member)) or clock) + steps[member]
    if corrected > clock then redis.call('ZADD', ahead, corrected, member) else redis.call('ZREM', ahead, member) end
  end
end
