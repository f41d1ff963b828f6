-- Moves running deliveries to the delayed set because their receivers are busy, and adds each to the deferred deliveries of its receiver, which
-- any process may resume. Without that it is due after twice the time that the deliveries before it should take.
--
-- KEYS: 1 stalled, 2 active, 3 delayed, 4 marker
-- ARGV: 1 prefix of job keys, 2 now (ms); then for each delivery 5 fields: id, token of its lock, key of the deferred deliveries of its receiver,
--   concurrency limit of the receiver, average duration of an attempt (ms)
-- Result: for each delivery 1; 0 if another process has it; -1 if its lock has lapsed
-- @include ../bullmq/layout.lua
local FIELDS, MIN_MS, MAX_MS, KEEP_SECONDS = 5, 1000, 60000, 3600
local now = tonumber(ARGV[2])

local function defer(id, token, deferred, limit, averageMs)
  local job = ARGV[1] .. id
  local released = releaseActive(id, token, job .. ':lock', KEYS[1], KEYS[2])
  if released < 1 then return released end
  local rounds = math.ceil((redis.call('ZCARD', deferred) + 1) / limit)
  local ms = math.ceil(math.min(math.max(2 * rounds * averageMs, MIN_MS), MAX_MS))
  delayUntil(job, id, now + ms, ms, KEYS[3], KEYS[4])
  redis.call('ZADD', deferred, now + ms, id)
  -- Entries older than this were already picked up by their delay.
  redis.call('EXPIRE', deferred, KEEP_SECONDS)
  return 1
end

local replies = {}
for at = 3, #ARGV, FIELDS do replies[#replies + 1] = defer(unpack(ARGV, at, at + FIELDS - 1)) end
return replies
