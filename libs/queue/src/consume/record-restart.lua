-- Records a start that is not the first one. A start after a suspension counts as such. An invocation emits its status: one that waited for
-- a retry, or whose process died, was `queued`. A process that was paused before its record changes nothing: a later start may have suspended
-- the job, and an answer may have come since.
--
-- KEYS: 1 job (hash), 2 events of the invocation (stream), 3 order of changes of the tenant (sorted set), 4 clock of changes (number)
-- ARGV: 1 id of the job, 2 now (ISO 8601), 3 whether it is an invocation (1 or 0), 4 member of the order of changes, 5 count of starts with this one
-- Result: a list: the time of a cancel request (ms), the number of starts after a suspension, the time of the first start (ms, stored by the first
--   suspension), each nil if it is absent; nil in place of the list if another start has begun
-- @include ../state/append-status.lua
-- @include ../state/record-change.lua
local starts, recorded = unpack(redis.call('HMGET', KEYS[1], '${field.starts}', '${field.recordedStart}'))
if starts ~= ARGV[5] then return false end
local function history()
  return redis.call('HMGET', KEYS[1], '${field.cancelRequestedAt}', '${field.suspensions}', '${field.begunAt}')
end
-- The client may send the command again after a lost connection, and an answer may have come in between.
if recorded == starts then return history() end
redis.call('HSET', KEYS[1], '${field.recordedStart}', starts)
local wasSuspended = redis.call('HDEL', KEYS[1], '${field.suspended}') == 1
if wasSuspended then redis.call('HINCRBY', KEYS[1], '${field.suspensions}', 1) end
if ARGV[3] == '1' then
  if not wasSuspended then appendStatus(KEYS[1], KEYS[2], ARGV[1], 'queued', ARGV[2]) end
  appendStatus(KEYS[1], KEYS[2], ARGV[1], 'running', ARGV[2])
  recordChange(KEYS[3], KEYS[4], ARGV[4])
end
redis.call('HDEL', KEYS[1], '${field.answered}', '${field.asked}')
return history()
