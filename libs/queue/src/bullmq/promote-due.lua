-- promoteDue(jobs, delayed, wait, prioritized, counter, now): moves delayed jobs that are due to the waiting ones, at most 1,000 at a time, as
-- BullMQ's `promoteDelayedJobs` does. `jobs` is the prefix of their keys, `now` is in ms.
local function promoteDue(jobs, delayed, wait, prioritized, counter, now)
  local ids = redis.call('ZRANGEBYSCORE', delayed, 0, scoreOfTime(now + 1) - 1, 'LIMIT', 0, 1000)
  if #ids == 0 then return end
  redis.call('ZREM', delayed, unpack(ids))
  for _, id in ipairs(ids) do
    local priority = tonumber(redis.call('HGET', jobs .. id, 'priority')) or 0
    if priority == 0 then redis.call('LPUSH', wait, id)
    else redis.call('ZADD', prioritized, priority * 0x100000000 + redis.call('INCR', counter) % 0x100000000, id) end
    redis.call('HSET', jobs .. id, 'delay', 0)
  end
end
