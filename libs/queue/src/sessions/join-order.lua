-- Gives a turn the last place in the order of its conversation, unless it has a place.
--
-- KEYS: 1 turns of the conversation, 2 clock of changes
-- ARGV: 1 id of the turn, 2 seconds to keep the order
-- Result: nil
-- @include ../state/record-change.lua
-- @include keep-session.lua
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return end
redis.call('ZADD', KEYS[1], nextChange(KEYS[2]), ARGV[1])
keepAtLeast(KEYS[1], tonumber(ARGV[2]))
