-- Settles an attempt of a running push delivery. A status that was sent is removed from those that are left, and the schedule of attempts
-- begins again. Unless the delivery has ended, it goes to the delayed set: it is due now if a status is left, else it waits for the next.
--
-- KEYS: 1 job, 2 lock, 3 stalled, 4 active, 5 delayed, 6 marker
-- ARGV: 1 id, 2 token of the lock, 3 now (ms), 4 time (ms) until which it waits for a status, 5 '1' if the first status was sent
-- Result: 1; 0 if another process has the delivery; -1 if the lock has lapsed
-- @include push-status.lua
local released = releaseActive(ARGV[1], ARGV[2], KEYS[2], KEYS[3], KEYS[4])
if released < 1 then return released end
local left = redis.call('HGET', KEYS[1], '${field.statuses}') or ''
if ARGV[5] == '1' then
  left = string.gsub(left, '^[^\n]*\n', '', 1)
  redis.call('HSET', KEYS[1], '${field.statuses}', left, '${field.failures}', 0)
  redis.call('HINCRBY', KEYS[1], '${field.sent}', 1)
end
local now = tonumber(ARGV[3])
local due = now
if left == '' and redis.call('HEXISTS', KEYS[1], '${field.stopped}') == 0 then
  due = tonumber(ARGV[4])
  redis.call('HSET', KEYS[1], '${field.suspended}', 'status')
end
delayUntil(KEYS[1], ARGV[1], due, due - now, KEYS[5], KEYS[6])
return 1
