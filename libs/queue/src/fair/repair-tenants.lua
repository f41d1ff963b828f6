-- Corrects the rings and the counts of some tenants of a queue, after keys were changed by hand: members without waiting jobs leave, a tenant that
-- was lost joins again, and the count is taken anew. A tenant with more than 1,000 keys in a level is left as it is.
--
-- KEYS: 1 prefix of the queue's keys
-- ARGV: 1 '1' to pass over the tenants that have a count; then the tenants
-- Result: 1 the number of removed members, 2 by how much the counts were too high
-- @include ring.lua
local MOST_KEYS = 1000
local prefix = KEYS[1]
local base = prefix .. 'fair:'
local levels = redis.call('ZRANGE', base .. 'levels', 0, -1)
local removed, wrong = 0, 0

local function remove(ring, member)
  leaveRing(base, ring, member)
  removed = removed + 1
end

-- repairKeys(name, keys): lets keys of a tenant in a level leave that have no waiting jobs. Returns how many jobs the others have.
local function repairKeys(name, keys)
  local waiting = 0
  for _, key in ipairs(keys) do
    local size = redis.call('ZCARD', base .. 'lane:' .. name .. ':' .. key)
    if size == 0 then remove(name, key) end
    waiting = waiting + size
  end
  return waiting
end

-- repairInLevel(level, tenant): does this for a level, and lets the tenant leave it or join it. Returns the number of its jobs there, or nil for too
-- many keys.
local function repairInLevel(level, tenant)
  local name = level .. ':' .. tenant
  local keys = redis.call('ZRANGE', base .. 'ring:' .. name, 0, MOST_KEYS)
  if #keys > MOST_KEYS then return nil end
  local waiting = repairKeys(name, keys)
  if waiting > 0 then joinRing(base, level, tenant)
  elseif redis.call('ZSCORE', base .. 'ring:' .. level, tenant) then remove(level, tenant) end
  if redis.call('EXISTS', base .. 'ring:' .. level) == 0 then redis.call('ZREM', base .. 'levels', level) end
  return waiting
end

-- waitingJobsOf(tenant): the number of its jobs in all levels, or nil.
local function waitingJobsOf(tenant)
  local waiting = 0
  for _, level in ipairs(levels) do
    local inLevel = repairInLevel(level, tenant)
    if not inLevel then return nil end
    waiting = waiting + inLevel
  end
  return waiting
end

-- The total changes with the count, so that their difference stays for repair-total.lua.
local function setCount(tenant, count, waiting)
  if waiting > 0 then redis.call('HSET', base .. 'tenants', tenant, waiting)
  else redis.call('HDEL', base .. 'tenants', tenant) end
  redis.call('INCRBY', base .. 'left', count - waiting)
  wrong = wrong + count - waiting
end

local tenants = { unpack(ARGV, 2) }
local counts = redis.call('HMGET', base .. 'tenants', unpack(tenants))
for n, tenant in ipairs(tenants) do
  local count = tonumber(counts[n])
  if not (count and ARGV[1] == '1') then
    local waiting = waitingJobsOf(tenant)
    if waiting and waiting ~= (count or 0) then setCount(tenant, count or 0, waiting) end
  end
end
return { removed, wrong }
