-- Adds a job by one of BullMQ's scripts. Unless it may wait in BullMQ's list, it is then moved to its lane.
--
-- KEYS: those of BullMQ's script
-- ARGV: those of BullMQ's script (1 packed arguments, with the prefix and the id first), then 4 the lane
-- Result: that of BullMQ's script
-- @include put-in-ring.lua
local prefix, id = unpack(cmsgpack.unpack(ARGV[1]))
local lane = ARGV[4]
local isKnown = redis.call('EXISTS', prefix .. id) == 1
local mayStay = mayWaitInList(prefix, lane, 1)
local reply = add(KEYS, ARGV)
if isKnown or (type(reply) == 'number' and reply < 0) then return reply end
redis.call('HSET', prefix .. id, '${field.lane}', lane)
local priority = tonumber(redis.call('HGET', prefix .. id, 'priority'))
if priority > 0 or not mayStay then divertToRing(prefix, lane, id, priority) end
return reply
