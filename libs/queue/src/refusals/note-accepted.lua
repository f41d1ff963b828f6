-- Counts accepted calls of a tenant, and marks the refusals from which their sessions have recovered.
--
-- KEYS: 1 the counts of this hour, 2 the recoveries, 3 and 4 the open refusals of these and the last ten minutes
-- ARGV: 1 how long counts are kept in seconds, 2 the prefix of the keys of refusals, 3 the counts (JSON list of [field, number]); then for each
--   call of a session: its field, the id of its invocation, and the ids between which the refusals are from which it can recover
-- Effects: beyond MOST fields, counts go to `tool:other` and `agent:other`. The first invocation is the one that recovered. Its refusals are open
--   no more, so that a later call does not look at them again
-- Result: the number of recoveries
local base, recoveries = KEYS[1], KEYS[2]
local age, prefix = ARGV[1], ARGV[2]
local MOST = 402

local size = redis.call('HLEN', base)
for _, count in ipairs(cjson.decode(ARGV[3])) do
  local field, number = unpack(count)
  if size >= MOST and redis.call('HEXISTS', base, field) == 0 then field = string.match(field, '^%a+:') .. 'other' end
  if redis.call('HINCRBY', base, field, number) == number then size = size + 1 end
end
redis.call('EXPIRE', base, age)

if redis.call('EXISTS', KEYS[3], KEYS[4]) == 0 then return 0 end
local found = 0
local function recover(open, n)
  local field, invocation, from, to = ARGV[n], ARGV[n + 1], ARGV[n + 2], ARGV[n + 3]
  local left, isLess = {}, false
  for id in string.gmatch(redis.call('HGET', open, field) or '', '%S+') do
    if id < from or id >= to then
      left[#left + 1] = id
    else
      isLess = true
      if redis.call('EXISTS', prefix .. id) == 1 then found = found + redis.call('HSETNX', recoveries, id, invocation) end
    end
  end
  if isLess and #left == 0 then redis.call('HDEL', open, field) end
  if isLess and #left > 0 then redis.call('HSET', open, field, table.concat(left, ' ')) end
end
for n = 4, #ARGV, 4 do
  recover(KEYS[3], n)
  recover(KEYS[4], n)
end
redis.call('EXPIRE', recoveries, age)
return found
