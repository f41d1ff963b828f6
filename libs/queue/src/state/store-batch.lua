-- Stores a batch, or adds to it: a repeated request with the same idempotency key can enqueue what was refused before.
--
-- KEYS: 1 batch
-- ARGV: 1 tenant, 2 number of refused items, 3 number of texts without a call, 4 ids of invocations of earlier requests, separated by blanks,
--   5 seconds to keep it with invocations of its own, 6 seconds to keep it without any, 7 and on: ids of its own invocations
-- Result: nil

-- The highest number of values of one command; an even number. `unpack` fails above 7,999 values.
local AT_ONCE = 1000
redis.call('HSET', KEYS[1], 'tenant', ARGV[1], 'refused', ARGV[2], 'noAction', ARGV[3], 'others', ARGV[4])
for _, status in ipairs({ 'succeeded', 'failed', 'cancelled' }) do redis.call('HSETNX', KEYS[1], status, 0) end
local fields = {}
for n = 7, #ARGV do
  fields[#fields + 1] = ARGV[n]
  fields[#fields + 1] = ''
end
for first = 1, #fields, AT_ONCE do redis.call('HSET', KEYS[1], unpack(fields, first, math.min(#fields, first + AT_ONCE - 1))) end
redis.call('EXPIRE', KEYS[1], redis.call('HLEN', KEYS[1]) > ${batchFields} and ARGV[5] or ARGV[6])
