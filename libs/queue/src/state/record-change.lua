-- Numbers the changes of invocations. A number is the time of Redis in microseconds, or one more than the last number if that is higher.
-- The numbers therefore increase in the order of the scripts, whatever the clocks of the processes or of Redis show.
-- @include ../redis/digits.lua

-- The last number of each clock that this run of the script has read.
local lastChanges = {}

-- nextChange(clock, count): reserves numbers and returns the first of them. `count` is 1 by default.
local function nextChange(clock, count)
  local last = lastChanges[clock]
  if not last then
    local time = redis.call('TIME')
    last = time[1] * 1000000 + time[2] - 1
    -- Most often the stored number is lower. One command then reads and replaces it.
    local stored = tonumber(redis.call('SET', clock, digits(last + (count or 1)), 'GET')) or 0
    if stored <= last then
      lastChanges[clock] = last + (count or 1)
      return last + 1
    end
    last = stored
  end
  lastChanges[clock] = last + (count or 1)
  redis.call('SET', clock, digits(lastChanges[clock]))
  return last + 1
end

-- recordChange(changed, clock, member): moves an invocation to the end of the order of changes. An invocation without an entry gets none:
-- it was removed, or it is older than the order.
local function recordChange(changed, clock, member)
  redis.call('ZADD', changed, 'XX', digits(nextChange(clock)), member)
end
