-- takeNext(jobs, active): makes the next job of BullMQ's waiting ones active. Jobs without a priority come first, as in BullMQ. `jobs` is the
-- prefix of the queue's keys. Returns its id, or nil if none waits there. Then the counter of priorities starts again.
local function takeNext(jobs, active)
  local id = redis.call('RPOPLPUSH', jobs .. 'wait', active)
  if id then return id end
  id = redis.call('ZPOPMIN', jobs .. 'prioritized')[1]
  if id then redis.call('LPUSH', active, id)
  else redis.call('DEL', jobs .. 'pc') end
  return id
end
