-- Stores refusals of a tenant, and removes the oldest ones beyond the bounds.
--
-- KEYS: 1 the heads (sorted set), 2 the bytes of all refusals, 3 the recoveries
-- ARGV: 1 the number that is kept, 2 their age in seconds, 3 their bytes, 4 the id before which they are too old, 5 the prefix of their
--   keys; then for each refusal its id, its head (JSON), and the refusal (JSON)
-- Effects: a head is `<id> <bytes> <JSON>`, so that the set is sorted by time. The key of a refusal expires by itself
-- Result: nil
local heads, bytes, recoveries = unpack(KEYS)
local count, age, most, oldest, prefix = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]

local added = 0
for n = 6, #ARGV, 3 do
  local id, head, refusal = ARGV[n], ARGV[n + 1], ARGV[n + 2]
  local size = #head + #refusal
  redis.call('SET', prefix .. id, refusal, 'EX', age)
  -- The client may send the command again after a lost connection.
  if redis.call('ZADD', heads, 0, id .. ' ' .. size .. ' ' .. head) == 1 then added = added + size end
end

local total = redis.call('INCRBY', bytes, added)
local function remove(head)
  local id, size = string.match(head, '^(%S+) (%d+)')
  redis.call('ZREM', heads, head)
  redis.call('DEL', prefix .. id)
  redis.call('HDEL', recoveries, id)
  total = redis.call('DECRBY', bytes, size)
end
for _, head in ipairs(redis.call('ZRANGEBYLEX', heads, '-', '(' .. oldest)) do remove(head) end
local excess = redis.call('ZCARD', heads) - count
if excess > 0 then
  for _, head in ipairs(redis.call('ZRANGE', heads, 0, excess - 1)) do remove(head) end
end
while total > most do
  local first = redis.call('ZRANGE', heads, 0, 0)[1]
  if not first then break end
  remove(first)
end
for _, key in ipairs({ heads, bytes, recoveries }) do redis.call('EXPIRE', key, age) end
return nil
