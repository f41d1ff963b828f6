-- noteAttempt(job, now): stores the start and the end (now, ms) of an attempt that did not end its job: `<start>-<end> `, up to ATTEMPTS_CHARS.
local ATTEMPTS_CHARS = 2000
local function noteAttempt(job, now)
  local began, known = unpack(redis.call('HMGET', job, 'processedOn', '${field.earlierAttempts}'))
  if not began or known and #known > ATTEMPTS_CHARS then return end
  redis.call('HSET', job, '${field.earlierAttempts}', (known or '') .. began .. '-' .. now .. ' ')
end
