-- Stores refusals of a tenant, and removes the oldest ones beyond the bounds.
--
-- KEYS: 1 the heads (sorted set), 2 the refusals (hash), 3 the bytes of all refusals, 4 the recoveries
-- ARGV: 1 the number that is kept, 2 their age in seconds, 3 their bytes, 4 the id before which they are too old; then for each refusal its
--   id, its head (JSON), and the refusal (JSON)
-- Effects: a head is `<id> <bytes> <JSON>`, so that the set is sorted by time. All keys expire together; readers leave out what is too
--   old. A key with a lifetime for each refusal would cost Redis more
-- Result: nil
local heads, texts, bytes, recoveries = unpack(KEYS)
local count, age, most, oldest = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), ARGV[4]

local members, sizes, scored, fields = {}, {}, {}, {}
for n = 5, #ARGV, 3 do
  local id, head, refusal = ARGV[n], ARGV[n + 1], ARGV[n + 2]
  local size = #head + #refusal
  local member = id .. ' ' .. size .. ' ' .. head
  table.insert(members, member)
  table.insert(sizes, size)
  table.insert(scored, 0)
  table.insert(scored, member)
  table.insert(fields, id)
  table.insert(fields, refusal)
end

-- The client may send the command again after a lost connection.
local added = 0
for n, score in ipairs(redis.call('ZMSCORE', heads, unpack(members))) do
  if not score then added = added + sizes[n] end
end
redis.call('ZADD', heads, unpack(scored))
redis.call('HSET', texts, unpack(fields))
local total = redis.call('INCRBY', bytes, added)

local function removeOldest(number)
  local ids, size = {}, 0
  for _, head in ipairs(redis.call('ZRANGE', heads, 0, number - 1)) do
    local id, own = string.match(head, '^(%S+) (%d+)')
    table.insert(ids, id)
    size = size + own
  end
  redis.call('ZREMRANGEBYRANK', heads, 0, number - 1)
  redis.call('HDEL', texts, unpack(ids))
  redis.call('HDEL', recoveries, unpack(ids))
  total = redis.call('DECRBY', bytes, size)
end
local excess = math.max(redis.call('ZLEXCOUNT', heads, '-', '(' .. oldest), redis.call('ZCARD', heads) - count)
while excess > 0 do
  -- Lua takes a bounded number of arguments.
  local number = math.min(excess, 500)
  removeOldest(number)
  excess = excess - number
end
while total > most and redis.call('EXISTS', heads) == 1 do removeOldest(1) end

for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, age) end
return nil
