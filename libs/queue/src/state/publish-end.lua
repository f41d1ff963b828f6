-- publishEnd(id, job): publishes the end of a job. For an invocation that a request awaits, the message also has the time of its start and of its
-- end (ms), the number of its starts and its result, so that nobody has to read them. It has none of them if the invocation did not succeed,
-- if more than its job must be read, or if the result is long: each API process gets the message.
local MOST_BYTES = 4096
local function publishEnd(id, job)
  local message = '${ended}' .. id
  local awaited, started, ended, starts, result, suspensions, cancelled = unpack(redis.call('HMGET', job, '${field.awaited}', 'processedOn',
    'finishedOn', '${field.starts}', 'returnvalue', '${field.suspensions}', '${field.cancelRequestedAt}'))
  if awaited and started and result and #result <= MOST_BYTES and not suspensions and not cancelled
    and redis.call('EXISTS', '${prefix}:state:' .. id, '${prefix}:artifacts:' .. id) == 0 then
    message = table.concat({ message, started, ended, starts, result }, ' ')
  end
  redis.call('PUBLISH', '${notifications}', message)
end
