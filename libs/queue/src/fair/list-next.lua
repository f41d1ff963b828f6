-- Lists the waiting jobs that start next, by the rings as they stand now: what is in BullMQ's own sets, then the tenants of a level in turn, and
-- the keys of a tenant in turn.
--
-- KEYS: 1 prefix of the queue's keys
-- ARGV: 1 how many, 2 the tenant whose jobs are listed, or '' for all
-- Result: for each job its id, name and time of acceptance (ms)
-- @include lanes.lua
local prefix, most, only = KEYS[1], tonumber(ARGV[1]), ARGV[2]
local base, reply = prefix .. 'fair:', {}

local function add(id)
  local name, since = unpack(redis.call('HMGET', prefix .. id, 'name', 'timestamp'))
  if name and #reply < most then reply[#reply + 1] = { id, name, since or '0' } end
end

-- inTurn(lists): the members of the lists, the first ones of all before the second ones.
local function inTurn(lists)
  local all = {}
  for n = 1, most do
    for _, list in ipairs(lists) do
      if list[n] and #all < most then all[#all + 1] = list[n] end
    end
  end
  return all
end

local function jobsOf(name)
  local lanes = {}
  for n, key in ipairs(redis.call('ZRANGE', base .. 'ring:' .. name, 0, most - 1)) do
    lanes[n] = redis.call('ZRANGE', base .. 'lane:' .. name .. ':' .. key, 0, most - 1)
  end
  return inTurn(lanes)
end

local function addOfTenant(id)
  local _, tenant = partsOfLane(laneOf(prefix .. id))
  if only == '' or tenant == only then add(id) end
end

-- Jobs leave the waiting list at its right end.
local waiting = redis.call('LRANGE', prefix .. 'wait', -most, -1)
for n = #waiting, 1, -1 do addOfTenant(waiting[n]) end
for _, id in ipairs(redis.call('ZRANGE', prefix .. 'prioritized', 0, most - 1)) do addOfTenant(id) end
for _, level in ipairs(redis.call('ZRANGE', base .. 'levels', 0, most - 1)) do
  local tenants = only == '' and redis.call('ZRANGE', base .. 'ring:' .. level, 0, most - 1) or { only }
  local lists = {}
  for n, tenant in ipairs(tenants) do lists[n] = jobsOf(level .. ':' .. tenant) end
  for _, id in ipairs(inTurn(lists)) do add(id) end
  if #reply >= most then break end
end
return reply
