-- takeNext(jobs, most): takes up to `most` of BullMQ's waiting jobs out of their set. Jobs without a priority come first, as in BullMQ. `jobs` is
-- the prefix of the queue's keys. Returns their ids, in order. If none waits, the counter of priorities starts again.
local function takeNext(jobs, most)
  local ids = redis.call('RPOP', jobs .. 'wait', most)
  if ids then return ids end
  local id = redis.call('ZPOPMIN', jobs .. 'prioritized')[1]
  if not id then redis.call('DEL', jobs .. 'pc') end
  return { id }
end

-- returnNext(jobs, ids): puts jobs back before all others, in order.
local function returnNext(jobs, ids)
  for n = #ids, 1, -1 do redis.call('RPUSH', jobs .. 'wait', ids[n]) end
end
