-- Puts an active job back by BullMQ's script, and then into its lane.
--
-- KEYS: those of BullMQ's script (2 wait, 8 prioritized)
-- ARGV: those of BullMQ's script (1 prefix, 2 now in ms, 4 id)
-- Result: that of BullMQ's script
-- @include take-due.lua
local prefix, id = ARGV[1], ARGV[4]
local keys = KEYS
if takeDue(prefix, tonumber(ARGV[2])) then keys = withoutDelayed(KEYS, 7, prefix) end
local reply = retryJob(keys, ARGV)
if reply == 0 and redis.call('LREM', KEYS[2], -1, id) + redis.call('ZREM', KEYS[8], id) > 0 then returnToRing(prefix, id) end
return reply
