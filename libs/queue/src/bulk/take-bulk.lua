-- Takes the open bulk action whose turn it is. Another process takes it when the lease has ended.
--
-- KEYS: 1 queue of all open actions
-- ARGV: 1 now (ms), 2 duration of the lease (ms), 3 lease
-- Result: `<tenant>:<id>`; nil if none is due; '' if the next entry was of an action that does not run any more. That entry is removed now, and the
--   caller calls again
local name = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, 1)[1]
if not name then return false end
local action = '${prefix}:bulk:' .. name
if redis.call('HGET', action, 'state') ~= 'running' then
  redis.call('ZREM', KEYS[1], name)
  return ''
end
redis.call('ZADD', KEYS[1], ARGV[1] + ARGV[2], name)
redis.call('HSET', action, 'lease', ARGV[3])
return name
