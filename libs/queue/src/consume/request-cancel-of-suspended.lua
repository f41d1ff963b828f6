-- Stores a cancel request in a suspended job.
--
-- KEYS: 1 job
-- ARGV: 1 now (ms)
-- Result: 1 if the job is suspended, else 0
if redis.call('HEXISTS', KEYS[1], 'finishedOn') == 1 or redis.call('HEXISTS', KEYS[1], '${field.suspended}') == 0 then return 0 end
redis.call('HSETNX', KEYS[1], '${field.cancelRequestedAt}', ARGV[1])
return 1
