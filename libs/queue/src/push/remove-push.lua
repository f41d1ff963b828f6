-- Removes a configuration from an invocation, and ends its push delivery.
--
-- KEYS: 1 job of the invocation
-- ARGV: 1 configuration id
-- Result: 1; 0 if the invocation has no such configuration
-- @include push-status.lua
local pushes = cjson.decode(redis.call('HGET', KEYS[1], '${field.pushes}') or '{}')
local id = pushes[ARGV[1]]
if not id then return 0 end
pushes[ARGV[1]] = nil
if next(pushes) then redis.call('HSET', KEYS[1], '${field.pushes}', cjson.encode(pushes))
else redis.call('HDEL', KEYS[1], '${field.pushes}') end
stopPush(id)
return 1
