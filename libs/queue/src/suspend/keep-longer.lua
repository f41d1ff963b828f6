-- Extends the life of keys that expire earlier. (`EXPIRE … GT` does the same from Redis 7 on.)
--
-- KEYS: any
-- ARGV: 1 seconds
-- Result: nil
for _, key in ipairs(KEYS) do
  local left = redis.call('TTL', key)
  if left >= 0 and left < tonumber(ARGV[1]) then redis.call('EXPIRE', key, ARGV[1]) end
end
