-- A process that dies takes all of its jobs along. If a job is the reason, it is mostly one of them. A death among other jobs therefore counts
-- a third of a death alone.
local ALONE, AMONG_OTHERS = 3, 1

-- diedAlone(jobs, stalled, active): whether no other job has lost its process: none was put back now, and each active one has a lock. `jobs` is
-- the prefix of the queue's keys.
local function diedAlone(jobs, stalled, active)
  if #stalled > 1 then return false end
  for _, id in ipairs(redis.call('LRANGE', active, 0, -1)) do
    if redis.call('EXISTS', jobs .. id .. ':lock') == 0 then return false end
  end
  return true
end

-- countDeaths(jobs, stalled, active, most): lets jobs run again whose process has died more than `most` times since their last progress, if
-- other jobs died with them often enough. BullMQ's script has counted the deaths, and marked each job that is above `most` to fail.
local function countDeaths(jobs, stalled, active, most)
  if #stalled == 0 then return end
  local isAlone = diedAlone(jobs, stalled, active)
  for _, id in ipairs(stalled) do
    local job = jobs .. id
    local deaths, failure = unpack(redis.call('HMGET', job, '${field.deaths}', 'defa'))
    if deaths == '1' then redis.call('HDEL', job, '${field.sharedDeaths}') end
    local shared = redis.call('HINCRBY', job, '${field.sharedDeaths}', isAlone and 0 or 1)
    if shared == 0 then redis.call('HDEL', job, '${field.sharedDeaths}') end
    local points = ALONE * (deaths - shared) + AMONG_OTHERS * shared
    if failure == 'job stalled more than allowable limit' and points < ALONE * (most + 1) then redis.call('HDEL', job, 'defa') end
  end
end
