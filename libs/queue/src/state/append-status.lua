-- @include ../push/push-status.lua
-- @include store-events.lua

-- appendStatus(job, stream, id, status, at, isHeld): appends a status to the events of an invocation, in the step that changes the status,
-- and notifies listeners. A status that equals the last one is not appended. An invocation without a stored status has `running` as its last one.
-- A stream that begins here does not expire: it lives as long as the invocation. `at` is ISO 8601; `isHeld` as in storeEvents.
local function appendStatus(job, stream, id, status, at, isHeld)
  if (redis.call('HGET', job, '${field.lastStatus}') or 'running') == status then return end
  redis.call('HSET', job, '${field.lastStatus}', status)
  storeEvents(job, stream, { '{"event":"status","status":"' .. status .. '","at":"' .. at .. '"}' }, nil, isHeld)
  redis.call('PUBLISH', '${notifications}', id)
  pushStatus(job, status)
end
