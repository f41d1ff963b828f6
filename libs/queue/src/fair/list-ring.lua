-- Lists the waiting jobs of all lanes: by level, by the order of tenants and of their keys, then by the order in the lane.
--
-- KEYS: 1 prefix of the queue's keys
-- ARGV: 1 how many to pass over, 2 how many
-- Result: ids
local base, over, left = KEYS[1] .. 'fair:', tonumber(ARGV[1]), tonumber(ARGV[2])
local ids = {}
local function listLane(jobs)
  local size = redis.call('ZCARD', jobs)
  if over >= size then
    over = over - size
    return
  end
  for _, id in ipairs(redis.call('ZRANGE', jobs, over, over + left - 1)) do
    ids[#ids + 1] = id
    left = left - 1
  end
  over = 0
end
-- first(ring): as many members as are needed at most: each has a job.
local function first(ring) return redis.call('ZRANGE', base .. 'ring:' .. ring, 0, over + left - 1) end
for _, level in ipairs(redis.call('ZRANGE', base .. 'levels', 0, -1)) do
  for _, tenant in ipairs(first(level)) do
    local name = level .. ':' .. tenant
    for _, key in ipairs(first(name)) do
      if left < 1 then return ids end
      listLane(base .. 'lane:' .. name .. ':' .. key)
    end
  end
end
return ids
