-- Makes deferred deliveries of a receiver due.
--
-- KEYS: 1 deferred deliveries of the receiver, 2 delayed, 3 marker
-- ARGV: 1 now (ms), 2 the highest number
-- Result: nil
-- @include resume.lua
resumeDeferred(KEYS[1], tonumber(ARGV[2]), ARGV[1], KEYS[2], KEYS[3])
