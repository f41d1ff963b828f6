-- Registers an invocation as a waiter of a job.
--
-- KEYS: 1 waiters, then the job that is waited for, in each queue in which it may be
-- ARGV: 1 id of the waiter
-- Result: 1 if the job has not ended; 0 if it has, and nothing is stored
-- @include ../bullmq/layout.lua
for n = 2, #KEYS do
  if isOpen(KEYS[n]) then
    redis.call('SADD', KEYS[1], ARGV[1])
    return 1
  end
end
return 0
