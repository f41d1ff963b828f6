-- @include ../bullmq/layout.lua

-- endedStatus(job): the status of an ended job: 'succeeded', 'failed' or 'cancelled'.
local function endedStatus(job)
  if redis.call('HEXISTS', job, '${field.cancelRequestedAt}') == 1 then return 'cancelled' end
  if redis.call('HEXISTS', job, 'returnvalue') == 1 then return 'succeeded' end
  local reason = redis.call('HGET', job, 'failedReason') or ''
  return string.find(reason, '^{"type":"CancelledError"') and 'cancelled' or 'failed'
end

-- wakePush(delivery, id): makes a push delivery due that waits for a status. One that waits for its next attempt keeps its pause.
local function wakePush(delivery, id)
  local delayed = '${prefix}:${deliveries}:delayed'
  if redis.call('HEXISTS', delivery, '${field.suspended}') == 0 or not redis.call('ZSCORE', delayed, id) then return end
  redis.call('HDEL', delivery, '${field.suspended}')
  local time = redis.call('TIME')
  makeDue(id, time[1] * 1000 + math.floor(time[2] / 1000), delayed, '${prefix}:${deliveries}:marker')
end

-- addStatus(delivery, status): appends a status and its time (ms) to those that a push delivery has to send, unless it is the last one again.
local function addStatus(delivery, status)
  if redis.call('HGET', delivery, '${field.lastStatus}') == status then return end
  local time = redis.call('TIME')
  local line = string.format('%s %.0f\n', status, time[1] * 1000 + math.floor(time[2] / 1000))
  local left = redis.call('HGET', delivery, '${field.statuses}') or ''
  redis.call('HSET', delivery, '${field.statuses}', left .. line, '${field.lastStatus}', status)
end

-- pushStatus(job, status): hands a new status of an invocation to its push deliveries, in the step that changes the status.
local function pushStatus(job, status)
  local pushes = redis.call('HGET', job, '${field.pushes}')
  if not pushes then return end
  for _, id in pairs(cjson.decode(pushes)) do
    local delivery = '${prefix}:${deliveries}:' .. id
    if isOpen(delivery) then
      addStatus(delivery, status)
      wakePush(delivery, id)
    end
  end
end

-- stopPush(id): ends a push delivery before its next message.
local function stopPush(id)
  local delivery = '${prefix}:${deliveries}:' .. id
  if not isOpen(delivery) then return end
  redis.call('HSET', delivery, '${field.stopped}', 1)
  wakePush(delivery, id)
end
