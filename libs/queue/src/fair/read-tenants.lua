-- Reads the waiting jobs of some tenants in the lanes of a queue.
--
-- KEYS: 1 prefix of the queue's keys
-- ARGV: tenants
-- Result: for each tenant its number of waiting jobs, and the time (ms) of the oldest one among the next jobs of its first 100 lanes, or 0
local MOST_LANES = 100
local prefix = KEYS[1]
local base = prefix .. 'fair:'
local levels = redis.call('ZRANGE', base .. 'levels', 0, MOST_LANES - 1)

local function oldestOf(tenant)
  local oldest, looked = math.huge, 0
  for _, level in ipairs(levels) do
    local name = level .. ':' .. tenant
    for _, key in ipairs(redis.call('ZRANGE', base .. 'ring:' .. name, 0, MOST_LANES - looked - 1)) do
      local id = redis.call('ZRANGE', base .. 'lane:' .. name .. ':' .. key, 0, 0)[1]
      oldest = math.min(oldest, tonumber(id and redis.call('HGET', prefix .. id, 'timestamp')) or math.huge)
      looked = looked + 1
    end
    if looked >= MOST_LANES then break end
  end
  return oldest < math.huge and oldest or 0
end

local reply = {}
for n, tenant in ipairs(ARGV) do
  reply[n] = { tonumber(redis.call('HGET', base .. 'tenants', tenant)) or 0, oldestOf(tenant) }
end
return reply
