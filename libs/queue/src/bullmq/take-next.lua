-- takeNext(wait, active, prioritized, counter): makes the next waiting job active. Jobs without a priority come first, as in BullMQ.
-- Returns its id, or nil if no job waits. Then the counter of priorities starts again.
local function takeNext(wait, active, prioritized, counter)
  local id = redis.call('RPOPLPUSH', wait, active)
  if id then return id end
  id = redis.call('ZPOPMIN', prioritized)[1]
  if id then redis.call('LPUSH', active, id)
  else redis.call('DEL', counter) end
  return id
end
