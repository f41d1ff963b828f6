-- Writes and removes fields of a hash only while the writer's attempt is the newest one. Progress resets the count of deaths: a job that
-- advances each time does not kill its process.
--
-- KEYS: 1 hash, 2 job
-- ARGV: 1 count of starts, 2 seconds to keep, 3 whether it is progress (1 or 0), 4 field to remove or '', then field, value, …
-- Result: 1; 0 if another attempt has begun, for example after a pause of this process
if redis.call('HGET', KEYS[2], '${field.starts}') ~= ARGV[1] then return 0 end
if ARGV[3] == '1' then redis.call('HSET', KEYS[2], '${field.deaths}', 0) end
if ARGV[4] ~= '' then redis.call('HDEL', KEYS[1], ARGV[4]) end
if #ARGV > 4 then redis.call('HSET', KEYS[1], unpack(ARGV, 5)) end
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
