-- requestCancel(job, now, reason): stores the time (ms) and the reason ('' for none) of a cancel request in a job. The first request counts.
local function requestCancel(job, now, reason)
  if redis.call('HSETNX', job, '${field.cancelRequestedAt}', now) == 1 and reason ~= '' then
    redis.call('HSET', job, '${field.cancelReason}', reason)
  end
end
