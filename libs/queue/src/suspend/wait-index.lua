-- The index of waits: all answers from people that invocations of a tenant wait for, by deadline. A job stores its members in the field
-- `errand:waits`, a JSON object with `index` (key of the index), `fields` (of the answers) and `members`, so that it leaves the index
-- without a search.

-- removeWaits(job): removes all waits of a job from the index.
local function removeWaits(job)
  local stored = redis.call('HGET', job, '${field.waits}')
  if not stored then return end
  local waits = cjson.decode(stored)
  redis.call('ZREM', waits.index, unpack(waits.members))
  redis.call('HDEL', job, '${field.waits}')
end

-- replaceWaits(job, stored): stores the present waits of a job in place of the earlier ones. `stored` is '' if it has none.
local function replaceWaits(job, stored)
  removeWaits(job)
  if stored == '' then return end
  local waits, scored = cjson.decode(stored), {}
  for _, member in ipairs(waits.members) do
    scored[#scored + 1] = 0
    scored[#scored + 1] = member
  end
  redis.call('ZADD', waits.index, unpack(scored))
  redis.call('HSET', job, '${field.waits}', stored)
end

-- removeWait(job, field): removes the wait for the answer of this field. The job keeps its name, and removes it again later.
local function removeWait(job, field)
  local stored = redis.call('HGET', job, '${field.waits}')
  if not stored then return end
  local waits = cjson.decode(stored)
  for n, other in ipairs(waits.fields) do
    if other == field then redis.call('ZREM', waits.index, waits.members[n]) end
  end
end
