-- The assumptions of Errand's scripts about BullMQ's keys. README.md in this folder explains each one.

-- Scores of the delayed set: the due time in ms, times 0x1000.
local function scoreOfTime(ms) return ms * 0x1000 end
local function timeOfScore(score) return score / 0x1000 end

-- True for a job that exists and has not ended. A job that is being removed has no timestamp any more.
local function isOpen(job)
  return redis.call('HEXISTS', job, 'timestamp') == 1 and redis.call('HEXISTS', job, 'finishedOn') == 0
end

-- Takes an active job from the worker that holds its lock.
-- Returns 1; 0 if another process has the job; -1 if the lock has lapsed.
local function releaseActive(id, token, lock, stalled, active)
  local holder = redis.call('GET', lock)
  if holder ~= token then return holder and 0 or -1 end
  if redis.call('LREM', active, -1, id) < 1 then return 0 end
  redis.call('DEL', lock)
  redis.call('SREM', stalled, id)
  return 1
end

-- Adds a job to the delayed set, as BullMQ's `moveToDelayed` does. The marker `1` holds the time of the first delayed job.
local function delayUntil(job, id, due, delayMs, delayed, marker)
  redis.call('HSET', job, 'delay', delayMs)
  redis.call('ZADD', delayed, scoreOfTime(due), id)
  local first = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')
  redis.call('ZADD', marker, timeOfScore(first[2]), '1')
end

-- Makes a delayed job due now.
local function makeDue(id, now, delayed, marker)
  redis.call('ZADD', delayed, scoreOfTime(now), id)
  redis.call('ZADD', marker, now, '1')
end
