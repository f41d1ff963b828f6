-- Replaces the recorded layout of the shards, unless another process has changed it.
--
-- KEYS: 1 layout
-- ARGV: 1 the layout that was read, or '' for none; 2 the new one
-- Result: 1 if it was replaced, else 0
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
