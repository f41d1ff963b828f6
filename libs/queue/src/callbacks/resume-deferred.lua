-- Makes deferred deliveries of a receiver due, the oldest first. A delivery whose delay has changed since was picked up by its delay, or
-- failed again: it is left alone.
--
-- KEYS: 1 deferred deliveries of the receiver, 2 delayed, 3 marker
-- ARGV: 1 now (ms), 2 how many
-- Result: nil
-- @include ../bullmq/layout.lua
local LOOKED_AT = 1000
local resumed = 0
for _ = 1, LOOKED_AT do
  if resumed == tonumber(ARGV[2]) then break end
  local id, due = unpack(redis.call('ZPOPMIN', KEYS[1]))
  if not id then break end
  local score = redis.call('ZSCORE', KEYS[2], id)
  if score and math.floor(timeOfScore(score)) == tonumber(due) then
    makeDue(id, ARGV[1], KEYS[2], KEYS[3])
    resumed = resumed + 1
  end
end
