-- Replaces the recorded layout of the shards, unless another process has changed it. Notifies all processes, also if nothing changes: one of them
-- may have missed an earlier notification.
--
-- KEYS: 1 layout
-- ARGV: 1 the layout that was read, or '' for none; 2 the new one, or the same
-- Result: 1 if the new one is recorded, else 0
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
if ARGV[2] ~= ARGV[1] then redis.call('SET', KEYS[1], ARGV[2]) end
redis.call('PUBLISH', '${controlNotifications}', 'shards')
return 1
