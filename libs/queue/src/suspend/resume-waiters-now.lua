-- Resumes the waiters of a job.
--
-- KEYS: 1 waiters, 2 delayed, 3 marker
-- ARGV: 1 now (ms), 2 prefix of the waiters' jobs
-- @include resume-waiters.lua
resumeWaiters(KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[1]), ARGV[2])
