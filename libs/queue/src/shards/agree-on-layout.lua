-- Reads the recorded layout of the shards. A Redis without a record and without work gets the wanted one.
--
-- KEYS: 1 layout, 2 clock of changes, which exists since the first accepted work
-- ARGV: 1 the wanted layout as JSON, or '' for any
-- Result: the layout as JSON; nil for one shard, which needs no record
local known = redis.call('GET', KEYS[1])
if known or ARGV[1] == '' or redis.call('EXISTS', KEYS[2]) == 1 then return known end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('PUBLISH', '${controlNotifications}', 'shards')
return ARGV[1]
