-- Ends a delivery by BullMQ's script, and takes the next one by the rules between tenants.
--
-- KEYS: those of BullMQ's script
-- ARGV: those of BullMQ's script, then the rules (fairRules)
-- Result: that of BullMQ's script
-- @include end-job.lua
return endJob(KEYS, ARGV, fairRules(ARGV, ${bullmq.args} + 1, ARGV[2], ARGV[1]))
