-- Appends events and writes state fields.
--
-- KEYS: 1 event stream, 2 state, 3 notification channel, 4 job
-- ARGV: 1 count of starts ('' for any), 2 seconds to keep, 3 id, 4 name of the batch, 5 number of events, the events, then field, value, …
--   of the state
-- Result: 1; 0 if another attempt has begun: then nothing is written
-- @include append-texts.lua
if ARGV[1] ~= '' and redis.call('HGET', KEYS[4], '${field.starts}') ~= ARGV[1] then return 0 end
local last = 5 + ARGV[5]
appendTexts(KEYS[4], KEYS[1], ARGV[2], ARGV, 6, last - 5, ARGV[4])
if #ARGV > last then
  redis.call('HSET', KEYS[2], unpack(ARGV, last + 1))
  redis.call('EXPIRE', KEYS[2], ARGV[2])
end
redis.call('PUBLISH', KEYS[3], ARGV[3])
return 1
