-- Stores a cancel request in a suspended job.
--
-- KEYS: 1 job
-- ARGV: 1 now (ms), 2 the reason, or ''
-- Result: 1 if the job is suspended, else 0
-- @include request-cancel.lua
if redis.call('HEXISTS', KEYS[1], 'finishedOn') == 1 or redis.call('HEXISTS', KEYS[1], '${field.suspended}') == 0 then return 0 end
requestCancel(KEYS[1], ARGV[1], ARGV[2])
return 1
