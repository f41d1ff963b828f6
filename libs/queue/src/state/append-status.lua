-- @include ../push/push-status.lua
-- newestNumber(stream): the number of the newest event, or 0.
local function newestNumber(stream)
  local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
  return last and tonumber(string.match(last[1], '^%d+')) or 0
end

-- appendStatus(job, stream, id, status, at): appends a status to the events of an invocation, in the step that changes the status, and
-- notifies listeners. A status that equals the last one is not appended. The stream then lives as long as the invocation.
local function appendStatus(job, stream, id, status, at)
  if (redis.call('HGET', job, '${field.lastStatus}') or 'running') == status then return end
  redis.call('HSET', job, '${field.lastStatus}', status)
  local text = '{"event":"status","status":"' .. status .. '","at":"' .. at .. '"}'
  redis.call('XADD', stream, string.format('%d-0', newestNumber(stream) + 1), 'e', text)
  redis.call('PUBLISH', '${notifications}', id)
  pushStatus(job, status)
end
