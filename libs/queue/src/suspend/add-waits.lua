-- Adds the waits of a suspended job to the index, unless it has been resumed meanwhile.
--
-- KEYS: 1 job
-- ARGV: 1 its waits (see wait-index.lua)
-- Result: nil
-- @include wait-index.lua
if redis.call('HGET', KEYS[1], '${field.suspended}') == 'answer' then replaceWaits(KEYS[1], ARGV[1]) end
