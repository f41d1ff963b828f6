-- Counts the jobs in a part of one of BullMQ's sets by tenant.
--
-- KEYS: 1 prefix of the queue's keys, 2 the set
-- ARGV: 1 'list' or 'sorted', 2 first and 3 last place in the set, 4 '1' if jobs may have no lane yet: their data then has the tenant
-- Result: for each tenant its name, its number of jobs, and the time (ms) of its oldest one
-- @include lanes.lua
local counts, oldest, order = {}, {}, {}
for _, id in ipairs(redis.call(ARGV[1] == 'list' and 'LRANGE' or 'ZRANGE', KEYS[2], ARGV[2], ARGV[3])) do
  local lane, since = unpack(redis.call('HMGET', KEYS[1] .. id, '${field.lane}', 'timestamp'))
  local _, tenant = partsOfLane(lane or (ARGV[4] == '1' and laneOf(KEYS[1] .. id)) or DEFAULT_LANE)
  if not counts[tenant] then order[#order + 1] = tenant end
  counts[tenant] = (counts[tenant] or 0) + 1
  oldest[tenant] = math.min(oldest[tenant] or math.huge, tonumber(since) or math.huge)
end
local reply = {}
for n, tenant in ipairs(order) do
  reply[n] = { tenant, counts[tenant], oldest[tenant] < math.huge and oldest[tenant] or 0 }
end
return reply
