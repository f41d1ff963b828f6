-- @include ../bullmq/layout.lua
local LOOKED_AT = 1000

-- resumeDeferred(deferred, count, now, delayed, marker): makes up to `count` deferred deliveries of a receiver due, the oldest first. A delivery
-- whose delay has changed since was picked up by its delay, or failed again: it is left alone. `deferred` is the key of the deferred deliveries.
local function resumeDeferred(deferred, count, now, delayed, marker)
  local resumed = 0
  for _ = 1, LOOKED_AT do
    if resumed >= count then return end
    local id, due = unpack(redis.call('ZPOPMIN', deferred))
    if not id then return end
    local score = redis.call('ZSCORE', delayed, id)
    if score and math.floor(timeOfScore(score)) == tonumber(due) then
      makeDue(id, now, delayed, marker)
      resumed = resumed + 1
    end
  end
end
