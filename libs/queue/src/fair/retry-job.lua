-- Puts an active job back by BullMQ's script, and then into its lane. Its slot time is charged, and the times of its attempt are
-- kept.
--
-- KEYS: those of BullMQ's script (2 wait, 7 delayed, 8 prioritized)
-- ARGV: those of BullMQ's script (1 prefix, 2 now in ms, 4 id), then the rules (fairRules), which end with 'time' or 'count'
-- Result: that of BullMQ's script
-- `retryJob` is BullMQ's script of that name as a function (asFunction in ../bullmq/layout.ts).
-- @include take-due.lua
-- @include charge.lua
-- @include ../state/note-attempt.lua
local prefix, id, now = ARGV[1], ARGV[4], tonumber(ARGV[2])
local keys = KEYS
if takeDue(prefix, now) then keys = withoutDelayed(KEYS, 7, prefix) end
local reply = retryJob(keys, ARGV)
if reply == 0 then noteAttempt(prefix .. id, ARGV[2]) end
if reply == 0 and redis.call('LREM', KEYS[2], -1, id) + redis.call('ZREM', KEYS[8], id) > 0 then
  returnToRing(prefix, id)
  if ARGV[#ARGV] == 'time' then chargeRelease(prefix, id, now) end
end
return reply
