-- Writes a state of a session if nobody has changed it since it was read. The change is an event of the turn that made it, while that turn
-- is open. A change with a mark happens once for all attempts of its turn.
--
-- KEYS: 1 session, then for a change by a turn: 2 job, 3 events, 4 journal of the turn
-- ARGV: 1 field of the state, 2 version that was read, 3 state (JSON), 4 name of the session, 5 agent ('' for none), 6 now (ms), 7 seconds to
--   keep the session, 8 to 10 prefixes of the keys of conversations, then for a change by a turn: 11 id, 12 event (JSON, '' for none),
--   13 seconds to keep the data of the turn, 14 count of starts ('' for any), 15 mark in the journal ('' for none)
-- Result: 1; 0 if the state has another version; 2 if the change has the mark already; -1 if another attempt has begun
-- @include ../bullmq/layout.lua
-- @include ../state/append-texts.lua
-- @include keep-session.lua
local session, job, events, journal = unpack(KEYS)
local field, id, mark = ARGV[1], ARGV[11], ARGV[15]
if job and ARGV[14] ~= '' and redis.call('HGET', job, '${field.starts}') ~= ARGV[14] then return -1 end
if mark and mark ~= '' and redis.call('HEXISTS', journal, mark) == 1 then return 2 end
local version = 'version:' .. field
if (redis.call('HGET', session, version) or '0') ~= ARGV[2] then return 0 end
redis.call('HSET', session, field, ARGV[3])
redis.call('HINCRBY', session, version, 1)
touchSession(session, ARGV[4], ARGV[5], ARGV[6], tonumber(ARGV[7]), { ARGV[8], ARGV[9], ARGV[10] })
if mark and mark ~= '' then
  redis.call('HSET', journal, mark, 'true')
  redis.call('EXPIRE', journal, ARGV[13])
end
if job and ARGV[12] ~= '' and isOpen(job) then
  appendTexts(job, events, ARGV[13], ARGV, 12, 1)
  redis.call('PUBLISH', '${notifications}', id)
end
return 1
