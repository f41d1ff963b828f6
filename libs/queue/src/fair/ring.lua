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

-- passTurn(base, name, member, time, step, isAlone, stays): moves the clock to `time`, at which a member was served, and the member behind
-- it. A member that is alone is not charged. `stays` is false if it has no more jobs.
local function passTurn(base, name, member, time, step, isAlone, stays)
  local ring = base .. 'ring:' .. name
  if isAlone and not stays then
    redis.call('ZREM', ring, member)
    forgetRing(base, name)
    return
  end
  if time ~= '0' then redis.call('SET', base .. 'clock:' .. name, time) end
  if isAlone then return end
  local following = tonumber(time) + step
  if stays then
    redis.call('ZADD', ring, following, member)
    return
  end
  local ahead = base .. 'ahead:' .. name
  redis.call('ZREM', ring, member)
  redis.call('ZADD', ahead, following, member)
  redis.call('ZREMRANGEBYSCORE', ahead, '-inf', time)
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

-- chargeInRing(base, name, member, step): corrects the virtual time of a member, which stays at the clock or after it. A member that is
-- alone is not charged.
local function chargeInRing(base, name, member, step)
  local ring, ahead = base .. 'ring:' .. name, base .. 'ahead:' .. name
  local first = redis.call('ZRANGE', ring, 0, 1)
  if not first[1] or (first[1] == member and not first[2]) then return end
  local clock = tonumber(redis.call('GET', base .. 'clock:' .. name)) or 0
  local time = redis.call('ZSCORE', ring, member)
  if time then
    redis.call('ZADD', ring, math.max(clock, time + step), member)
    return
  end
  local corrected = (tonumber(redis.call('ZSCORE', ahead, member)) or clock) + step
  if corrected > clock then redis.call('ZADD', ahead, corrected, member) else redis.call('ZREM', ahead, member) end
end
