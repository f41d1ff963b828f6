-- Removes the data of an invocation that a full queue has refused. Another process may have submitted the same id meanwhile, for example with
-- the same idempotency key: the data is then that of its job.
--
-- KEYS: 1 and on: the data; then the job in each queue
-- ARGV: 1 the number of keys with data
-- Result: the number of removed keys
local count = tonumber(ARGV[1])
for n = count + 1, #KEYS do
  if redis.call('EXISTS', KEYS[n]) == 1 then return 0 end
end
return redis.call('DEL', unpack(KEYS, 1, count))
