-- Counts the jobs that start before a waiting job, by the rules of the rings as they stand now. Looks at 2,000 tenants and keys at most, and takes
-- the others for like them.
--
-- KEYS: 1 prefix of the queue's keys, 2 the job
-- ARGV: 1 id
-- Result: the count, or nil if the job is in no lane
-- @include lanes.lua
-- @include count-waiting.lua
local MOST, MOST_LANES = 2000, 20
local prefix, id = KEYS[1], ARGV[1]
local base = prefix .. 'fair:'
local lane = redis.call('HGET', KEYS[2], '${field.lane}') or DEFAULT_LANE
local level, tenant, key = partsOfLane(lane)
local rank = redis.call('ZRANK', base .. 'lane:' .. lane, id)
if not rank then return false end

local levels = redis.call('ZRANGE', base .. 'levels', 0, -1)

-- sizeOfTenant(ofLevel, of): the jobs of a tenant in a level. With several levels it looks at some of the lanes, and takes the others for like them.
local function sizeOfTenant(ofLevel, of)
  if #levels == 1 then return tonumber(redis.call('HGET', base .. 'tenants', of)) or 0 end
  local sum, name = 0, ofLevel .. ':' .. of
  local keys = redis.call('ZRANGE', base .. 'ring:' .. name, 0, MOST_LANES - 1)
  if #keys == 0 then return 0 end
  for _, each in ipairs(keys) do sum = sum + redis.call('ZCARD', base .. 'lane:' .. name .. ':' .. each) end
  return math.floor(sum * redis.call('ZCARD', base .. 'ring:' .. name) / #keys)
end

-- turnsBefore(time, step, isFirst, at): how many turns of a member come before `at`, if it has one at `time` and then every `step`.
local function turnsBefore(time, step, isFirst, at)
  local turns = (at - time) / step
  local nearest = math.floor(turns + 0.5)
  if math.abs(turns - nearest) < 1e-9 then turns = isFirst and nearest + 1 or nearest else turns = math.ceil(turns) end
  return math.max(0, turns)
end

-- before(ring, member, own, stepOf, sizeOf): the jobs of other members that start before the job of this one that has `own` jobs before it.
local function before(ring, member, own, stepOf, sizeOf)
  local at = tonumber(redis.call('ZSCORE', ring, member)) + own * stepOf(member)
  local others = redis.call('ZRANGEBYSCORE', ring, '-inf', at, 'WITHSCORES', 'LIMIT', 0, MOST)
  local sum = 0
  for n = 1, #others, 2 do
    local other = others[n]
    if other ~= member then
      sum = sum + math.min(sizeOf(other), turnsBefore(tonumber(others[n + 1]), stepOf(other), other < member, at))
    end
  end
  -- Members that were not looked at count like the others.
  local all, looked = redis.call('ZCOUNT', ring, '-inf', at), #others / 2
  return all > looked and math.floor(sum * all / looked) or sum
end

local name = level .. ':' .. tenant
local ahead = rank + before(base .. 'ring:' .. name, key, rank,
  function() return 1 end,
  function(other) return redis.call('ZCARD', base .. 'lane:' .. name .. ':' .. other) end)
ahead = ahead + before(base .. 'ring:' .. level, tenant, ahead,
  function(of) return 1 / weightOf(of) end,
  function(of) return sizeOfTenant(level, of) end)
for _, lower in ipairs(redis.call('ZRANGE', base .. 'levels', '-inf', '(' .. level, 'BYSCORE')) do
  for _, of in ipairs(redis.call('ZRANGE', base .. 'ring:' .. lower, 0, MOST)) do ahead = ahead + sizeOfTenant(lower, of) end
end
return ahead + redis.call('LLEN', prefix .. 'wait') + redis.call('ZCARD', prefix .. 'prioritized')
