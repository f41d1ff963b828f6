-- Reads the newest messages of a conversation within a size, or the newest before a message. The first of them is always read.
--
-- KEYS: 1 messages, 2 their ids
-- ARGV: 1 most characters, 2 most messages, 3 number of the message before which to read ('' for the newest)
-- Result: {number of stored messages, number of the last message that was read (ARGV 3 if none was read), JSON of each message, newest first}
-- @include read-message.lua
local CHUNK = 16
local left, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local found, last = {}, ARGV[3]
local at = last == '' and 0 or countFrom(KEYS[2], last)
local function take()
  local texts = redis.call('LRANGE', KEYS[1], -at - CHUNK, -at - 1)
  for n = #texts, 1, -1 do
    local number, size, json = readMessage(texts[n])
    left = left - size
    if #found > 0 and (left < 0 or #found >= most) then return false end
    found[#found + 1], last = json, number
  end
  at = at + CHUNK
  return #texts == CHUNK
end
while take() do end
return { redis.call('LLEN', KEYS[1]), last, unpack(found) }
