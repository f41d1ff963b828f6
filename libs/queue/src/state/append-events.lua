-- Appends events and writes state fields. Events are numbered from 1 without a gap, so that a reader sees whether it missed some.
--
-- KEYS: 1 event stream, 2 state, 3 notification channel, 4 job
-- ARGV: 1 count of starts ('' for any), 2 seconds to keep, 3 id, 4 number of events, the events, then field, value, … of the state
-- Result: 1; 0 if another attempt has begun: then nothing is written
-- @include append-status.lua
local KEPT_EVENTS = 5000
if ARGV[1] ~= '' and redis.call('HGET', KEYS[4], '${field.starts}') ~= ARGV[1] then return 0 end
local last = 4 + ARGV[4]
if last > 4 then
  local number = newestNumber(KEYS[1])
  for n = 5, last do
    number = number + 1
    redis.call('XADD', KEYS[1], 'MAXLEN', '~', KEPT_EVENTS, string.format('%d-0', number), 'e', ARGV[n])
  end
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
if #ARGV > last then
  redis.call('HSET', KEYS[2], unpack(ARGV, last + 1))
  redis.call('EXPIRE', KEYS[2], ARGV[2])
end
redis.call('PUBLISH', KEYS[3], ARGV[3])
return 1
