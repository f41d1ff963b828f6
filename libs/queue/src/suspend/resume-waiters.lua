-- @include ../bullmq/layout.lua
-- @include ../state/record-change.lua

-- resumeWaiters(waiters, delayed, marker, now, jobs): makes every invocation due that waits for another one. An invocation that has not
-- suspended yet will not suspend. `jobs` is the prefix of their job keys. A waiter in another shard has a `>` before its id: it is noted, and
-- a process wakes it there (`shards/wake-waiters.ts`).
local function resumeWaiters(waiters, delayed, marker, now, jobs)
  local ids = redis.call('SMEMBERS', waiters)
  for _, id in ipairs(ids) do
    local job = jobs .. id
    if string.sub(id, 1, 1) == '>' then
      redis.call('SADD', '${prefix}:far-waiters', string.sub(id, 2))
    elseif isOpen(job) then
      redis.call('HSET', job, '${field.answered}', 1)
      if redis.call('HEXISTS', job, '${field.suspended}') == 1 and redis.call('ZSCORE', delayed, id) then
        redis.call('HSET', job, '${field.suspended}', 'woken')
        makeDue(id, now, delayed, marker)
        recordChangeOf(job, id)
      end
    end
  end
  if #ids > 0 then redis.call('DEL', waiters) end
end
