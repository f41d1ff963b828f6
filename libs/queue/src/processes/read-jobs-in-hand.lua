-- Reads some active jobs of a queue, each with the consumer that holds its lock. Only that consumer runs the job.
--
-- KEYS: 1 prefix of the queue's keys
-- ARGV: 1 first and 2 last place in the active list
-- Result: for each job its id, its lock ('' if it has lapsed), tenant, name, start (ms), and the process that started it ('' if it is not known)
-- @include ../fair/lanes.lua
local prefix, reply = KEYS[1], {}
for n, id in ipairs(redis.call('LRANGE', prefix .. 'active', ARGV[1], ARGV[2])) do
  local job = prefix .. id
  local name, started, process = unpack(redis.call('HMGET', job, 'name', 'processedOn', '${field.process}'))
  local _, tenant = partsOfLane(laneOf(job))
  reply[n] = { id, redis.call('GET', job .. ':lock') or '', tenant, name or '', started or '0', process or '' }
end
return reply
