-- Reads the jobs that a lost process had when they were put back, and where they are now.
--
-- KEYS: 1 the list of these jobs
-- ARGV: none
-- Result: for each job: its id, its lock ('' for none), tenant ('' if it is not stored any more), name, the start in the lost process (ms),
--   and '1' if it has ended, else ''
-- @include ../fair/lanes.lua
local reply = {}
for _, entry in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  local started, job = string.match(entry, '^(%d+) (.*)$')
  if job then
    local name, finished = unpack(redis.call('HMGET', job, 'name', 'finishedOn'))
    local tenant = ''
    if name then
      local _, owner = partsOfLane(laneOf(job))
      tenant = owner
    end
    local id = string.match(job, '([^:]*)$')
    reply[#reply + 1] = { id, redis.call('GET', job .. ':lock') or '', tenant, name or '', started, finished and '1' or '' }
  end
end
return reply
