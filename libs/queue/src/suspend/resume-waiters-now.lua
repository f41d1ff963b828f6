-- Resumes the waiters of a job: 500 at once, and more by a sweep (see resume-waiters.lua).
--
-- KEYS: 1 waiters (set of ids), 2 delayed set and 3 marker of the waiters' queue
-- ARGV: 1 now (ms), 2 prefix of the waiters' jobs
-- Result: nil
-- @include resume-waiters.lua
resumeWaiters(KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[1]), ARGV[2])
