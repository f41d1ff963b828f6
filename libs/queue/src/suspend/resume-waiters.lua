-- @include ../bullmq/layout.lua
-- @include ../fair/lanes.lua
-- @include ../state/record-change.lua
-- @include wake-some-waiters.lua

-- resumeWaiters(waiters, delayed, marker, now, jobs): makes the invocations due that wait for another one. If they are too many for one run, the
-- rest is noted in `waiters-left`, and a process wakes it in parts (`resume-left-waiters.lua`). The rest gets a key of its own: a waiter of a
-- job that has not ended registers again, and must then not be woken again and again.
local function resumeWaiters(waiters, delayed, marker, now, jobs)
  if not wakeSome(waiters, delayed, marker, now, jobs) then return end
  local rest = '${prefix}:waiters-left:' .. digits(nextChange('${changeClock}'))
  redis.call('RENAME', waiters, rest)
  redis.call('LPUSH', '${prefix}:waiters-left', rest)
end
