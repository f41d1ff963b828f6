-- Ends a delivery by BullMQ's script, and takes the next one by the rules between tenants. A delivery that has failed for good gets its entry
-- in the index of its tenant. Push deliveries have none.
--
-- KEYS: those of BullMQ's `moveToFinished` (7 delayed, 12 the job)
-- ARGV: those of BullMQ's `moveToFinished` (1 id, 2 now in ms, 5 'completed' or 'failed', 6 '1' to take a next job, 7 prefix of the queue's keys),
--   then the rules (fairRules)
-- Result: that of BullMQ's script
-- `endJob` calls `moveToFinished`: BullMQ's script of that name as a function (asFunction in ../bullmq/layout.ts).
-- @include end-job.lua
local DELIVERY = '^msg_([0-9a-z]+%.?%d*)$'
local reply = endJob(KEYS, ARGV, fairRules(ARGV, ${bullmq.args} + 1, ARGV[2], ARGV[1]))
if ARGV[5] == 'failed' and not (type(reply) == 'number' and reply < 0) then
  local member = string.match(ARGV[1], DELIVERY)
  local _, tenant = partsOfLane(laneOf(KEYS[12]))
  if member and tenant then redis.call('ZADD', '${prefix}:index:' .. tenant .. ':deliveries-failed', 0, member) end
end
return reply
