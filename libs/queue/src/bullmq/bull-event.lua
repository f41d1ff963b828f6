local rcall = redis.call

-- bullEvent(jobs, event, id, …): writes an event for BullMQ's `QueueEvents`, with further fields. `jobs` is the prefix of the queue's keys.
-- Without ERRAND_BULLMQ_EVENTS, it does nothing (bull-events.ts).
local function bullEvent(jobs, event, id, ...)
  rcall("XADD", jobs .. 'events', 'MAXLEN', '~', 10000, '*', 'event', event, 'jobId', id, ...)
end
