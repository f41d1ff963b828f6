-- Writes one step of a turn while its attempt is the newest one: fields of the invocation's state, events, and messages of the conversation.
-- With initial states, it also begins the conversation. New fields and messages are progress: they reset the count of deaths. A step whose
-- fields are stored already is a repeated command, whose response was lost: its events are not appended again.
--
-- KEYS: 1 job, 2 state, 3 events, 4 session, 5 messages, 6 ids of messages
-- ARGV: 1 count of starts, 2 id, 3 seconds to keep the data of the invocation, 4 name of the session, 5 agent, 6 now (ms), 7 seconds to keep
--   the session, 8 number of messages to keep, 9 to 11 prefixes of the keys of conversations, 12 and 13 initial world state and private state
--   (JSON, '' for none), 14 number of fields, 15 number of events, 16 number of messages, then field, value, …; the events; and id, size, JSON
--   of each message
-- Result: {1, world state, private state}, the states only where initial states are given; {0} if another attempt has begun: then nothing is
--   written
-- @include ../state/append-texts.lua
-- @include keep-session.lua
-- @include append-messages.lua
local job, state, events, session, messages, ids = unpack(KEYS)
local starts, deaths = unpack(redis.call('HMGET', job, '${field.starts}', '${field.deaths}'))
if starts ~= ARGV[1] then return { 0 } end
local id, agent, fields, told = ARGV[2], ARGV[5], tonumber(ARGV[14]), tonumber(ARGV[15])
local isProgress = false
for n = 17, 16 + 2 * fields, 2 do
  if redis.call('HGET', state, ARGV[n]) ~= ARGV[n + 1] then
    redis.call('HSET', state, ARGV[n], ARGV[n + 1])
    isProgress = true
  end
end
if fields > 0 then keepFor(state, ARGV[3]) end
touchSession(session, ARGV[4], agent, ARGV[6], tonumber(ARGV[7]), { ARGV[9], ARGV[10], ARGV[11] })
local first = 17 + 2 * fields
if fields == 0 or isProgress then appendTexts(job, events, ARGV[3], ARGV, first, told) end
if appendMessages(session, messages, ids, tonumber(ARGV[8]), ARGV, first + told, tonumber(ARGV[16])) > 0 then isProgress = true end
if isProgress and deaths and deaths ~= '0' then redis.call('HSET', job, '${field.deaths}', 0) end
redis.call('PUBLISH', '${notifications}', id)
if ARGV[12] == '' then return { 1 } end
local private = 'private:' .. agent
local stored = redis.call('HMGET', session, 'world', private)
for n, field in ipairs({ 'world', private }) do
  if not stored[n] then
    stored[n] = ARGV[11 + n]
    redis.call('HSET', session, field, stored[n])
    redis.call('HINCRBY', session, 'version:' .. field, 1)
  end
end
return { 1, unpack(stored) }
