-- recordDuration(runs, ms): adds the duration of a run to the last ones. They expire a week after the newest.
local function recordDuration(runs, ms)
  redis.call('LPUSH', runs, math.max(0, ms))
  redis.call('LTRIM', runs, 0, 62)
  redis.call('EXPIRE', runs, 604800)
end

-- recordDurations(runs, durations): adds several durations (ms, not below 0), oldest first.
local function recordDurations(runs, durations)
  redis.call('LPUSH', runs, unpack(durations))
  redis.call('LTRIM', runs, 0, 62)
  redis.call('EXPIRE', runs, 604800)
end
