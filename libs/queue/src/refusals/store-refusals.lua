-- Stores refusals of a tenant in batches, and removes the oldest ones beyond the bounds.
--
-- KEYS: 1 the heads (sorted set), 2 the refusals (hash), 3 the number and the bytes of all refusals (hash), 4 the recoveries
-- ARGV: 1 the number that is kept, 2 their age in seconds, 3 their bytes, 4 the id before which they are too old; then for each batch the id
--   of its newest refusal, their number, their heads, and the refusals: one line of JSON for each, newest first
-- Effects: a batch is a member of the set, `<newest id> <number>\n<heads>`, so that batches are sorted by time, and a field of the hash. All
--   keys expire together; readers leave out what is too old
-- Result: nil
local batches, texts, totals, recoveries = unpack(KEYS)
local count, age, most, oldest = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), ARGV[4]
-- Redis does nothing else meanwhile. The next command goes on.
local MOST_REMOVED = 500

local added, size = 0, 0
for n = 5, #ARGV, 4 do
  local newest, number, heads, refusals = ARGV[n], ARGV[n + 1], ARGV[n + 2], ARGV[n + 3]
  -- The client may send the command again after a lost connection.
  if redis.call('HSETNX', texts, newest, refusals) == 1 then
    local member = newest .. ' ' .. number .. '\n' .. heads
    redis.call('ZADD', batches, 0, member)
    added, size = added + number, size + #member + #refusals
  end
end

local function forgetRecoveries(heads)
  if redis.call('EXISTS', recoveries) == 0 then return end
  local ids = {}
  for id in string.gmatch(heads, '\n{"id":"([^"]+)"') do ids[#ids + 1] = id end
  redis.call('HDEL', recoveries, unpack(ids))
end

-- removeOldest(member): removes the oldest batch. Returns its bytes.
local function removeOldest(member)
  local newest = string.match(member, '^%S+')
  local bytes = #member + redis.call('HSTRLEN', texts, newest)
  redis.call('ZREMRANGEBYRANK', batches, 0, 0)
  redis.call('HDEL', texts, newest)
  forgetRecoveries(member)
  return bytes
end

-- shortenOldest(member, kept): removes the heads of the oldest batch except `kept`. The refusals go with the batch: to write them again would
-- cost more than all the rest. Returns the bytes of those heads.
local function shortenOldest(member, kept)
  local begin = string.find(member, '\n', 1, true)
  local last = begin
  for _ = 1, kept do last = string.find(member, '\n', last + 1, true) end
  local left = string.match(member, '^%S+') .. ' ' .. kept .. string.sub(member, begin, last - 1)
  redis.call('ZREMRANGEBYRANK', batches, 0, 0)
  redis.call('ZADD', batches, 0, left)
  forgetRecoveries(string.sub(member, last))
  return #member - #left
end

local excess = redis.call('HINCRBY', totals, 'count', added) - count
local surplus = redis.call('HINCRBY', totals, 'bytes', size) - most
local tooOld = redis.call('ZLEXCOUNT', batches, '-', '(' .. oldest)
local removed, freed = 0, 0
for _ = 1, MOST_REMOVED do
  local isTooMuch = tooOld > 0 or freed < surplus
  local member = (isTooMuch or removed < excess) and redis.call('ZRANGE', batches, 0, 0)[1]
  if not member then break end
  local number = tonumber(string.match(member, '^%S+ (%d+)'))
  local kept = isTooMuch and 0 or math.max(number - (excess - removed), 0)
  freed = freed + (kept == 0 and removeOldest(member) or shortenOldest(member, kept))
  removed, tooOld = removed + number - kept, tooOld - 1
end
if removed > 0 then
  redis.call('HINCRBY', totals, 'count', -removed)
  redis.call('HINCRBY', totals, 'bytes', -freed)
end

for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, age) end
return nil
