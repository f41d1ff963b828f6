-- Moves a running delivery to the delayed set because its receiver is busy, and adds it to the deferred deliveries of that receiver, which
-- any process may resume. Without that it is due after twice the time that the deliveries before it should take.
--
-- KEYS: 1 job, 2 lock, 3 stalled, 4 active, 5 delayed, 6 marker, 7 deferred deliveries of the receiver
-- ARGV: 1 id, 2 token of the lock, 3 now (ms), 4 concurrency limit of the receiver, 5 average duration of an attempt (ms)
-- Result: 1; 0 if another process has the delivery; -1 if the lock has lapsed
-- @include ../bullmq/layout.lua
local MIN_MS, MAX_MS, KEEP_SECONDS = 1000, 60000, 3600
local released = releaseActive(ARGV[1], ARGV[2], KEYS[2], KEYS[3], KEYS[4])
if released < 1 then return released end
local rounds = math.ceil((redis.call('ZCARD', KEYS[7]) + 1) / ARGV[4])
local ms = math.ceil(math.min(math.max(2 * rounds * ARGV[5], MIN_MS), MAX_MS))
delayUntil(KEYS[1], ARGV[1], ARGV[3] + ms, ms, KEYS[5], KEYS[6])
redis.call('ZADD', KEYS[7], ARGV[3] + ms, ARGV[1])
-- Entries older than this were already picked up by their delay.
redis.call('EXPIRE', KEYS[7], KEEP_SECONDS)
return 1
