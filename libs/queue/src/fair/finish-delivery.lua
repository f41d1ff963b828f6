-- Ends a delivery by BullMQ's script, and takes the next one by the rules between tenants. A delivery that has failed for good gets its entry
-- in the index of its tenant. Push deliveries have none.
--
-- KEYS: those of BullMQ's script (12 the job)
-- ARGV: those of BullMQ's script, then the rules (fairRules)
-- Result: that of BullMQ's script
-- @include end-job.lua
local DELIVERY = '^msg_([0-9a-z]+%.?%d*)$'
local reply = endJob(KEYS, ARGV, fairRules(ARGV, ${bullmq.args} + 1, ARGV[2], ARGV[1]))
if ARGV[5] == 'failed' and not (type(reply) == 'number' and reply < 0) then
  local member = string.match(ARGV[1], DELIVERY)
  local _, tenant = partsOfLane(laneOf(KEYS[12]))
  if member and tenant then redis.call('ZADD', '${prefix}:index:' .. tenant .. ':deliveries-failed', 0, member) end
end
return reply
