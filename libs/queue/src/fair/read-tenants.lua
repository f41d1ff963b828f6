-- Reads the tenants that have work in a queue: up to 1,000 with waiting jobs, by virtual time, and those of up to 10,000 running jobs.
--
-- KEYS: 1 prefix of the queue's keys
-- Result: for each tenant its name, its numbers of waiting and of running jobs, its weight, and the time (ms) of its next waiting job or 0
-- @include lanes.lua
local MOST_TENANTS, MOST_JOBS = 1000, 10000
local prefix = KEYS[1]
local base = prefix .. 'fair:'
local found, order = {}, {}
local function entryOf(tenant)
  if not found[tenant] then
    found[tenant] = { waiting = 0, active = 0, since = 0 }
    order[#order + 1] = tenant
  end
  return found[tenant]
end
local function noteWaiting(tenant, count, id)
  local entry = entryOf(tenant)
  entry.waiting = entry.waiting + count
  local since = tonumber(id and redis.call('HGET', prefix .. id, 'timestamp')) or 0
  if since > 0 and (entry.since == 0 or since < entry.since) then entry.since = since end
end
for _, level in ipairs(redis.call('ZRANGE', base .. 'levels', 0, -1)) do
  for _, tenant in ipairs(redis.call('ZRANGE', base .. 'ring:' .. level, 0, MOST_TENANTS - 1)) do
    local name = level .. ':' .. tenant
    for _, key in ipairs(redis.call('ZRANGE', base .. 'ring:' .. name, 0, MOST_TENANTS - 1)) do
      local lane = base .. 'lane:' .. name .. ':' .. key
      noteWaiting(tenant, redis.call('ZCARD', lane), redis.call('ZRANGE', lane, 0, 0)[1])
    end
  end
end
local function tenantOf(id)
  local _, tenant = partsOfLane(redis.call('HGET', prefix .. id, '${field.lane}') or DEFAULT_LANE)
  return tenant
end
for _, id in ipairs(redis.call('LRANGE', prefix .. 'wait', -MOST_JOBS, -1)) do noteWaiting(tenantOf(id), 1, id) end
for _, id in ipairs(redis.call('ZRANGE', prefix .. 'prioritized', 0, MOST_JOBS - 1)) do noteWaiting(tenantOf(id), 1, id) end
for _, id in ipairs(redis.call('LRANGE', prefix .. 'active', 0, MOST_JOBS - 1)) do
  local entry = entryOf(tenantOf(id))
  entry.active = entry.active + 1
end
local reply = {}
for _, tenant in ipairs(order) do
  local entry = found[tenant]
  reply[#reply + 1] = { tenant, entry.waiting, entry.active, tostring(weightOf(tenant)), entry.since }
end
return reply
