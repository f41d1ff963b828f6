-- Takes the next job by BullMQ's script, after the rules between tenants have decided which one that is.
--
-- KEYS: those of BullMQ's script
-- ARGV: those of BullMQ's script (1 prefix, 2 now in ms), then the rules (fairRules)
-- Result: that of BullMQ's script
-- @include end-job.lua
local prefix = ARGV[1]
local isMoreDue = takeDue(prefix, tonumber(ARGV[2]))
local rules = fairRules(ARGV, ${bullmq.args} + 1, ARGV[2], '')
divertWaiting(prefix, rules)
admitNext(prefix, 1, rules)
if not isMoreDue then return moveToActive(KEYS, ARGV) end
redis.call('ZADD', prefix .. 'marker', 0, '0')
return moveToActive(withoutDelayed(KEYS, 7, prefix), ARGV)
