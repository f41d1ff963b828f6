-- Reads messages of a conversation within a size, from the oldest one or from one after a message. The first of them is always read.
--
-- KEYS: 1 messages, 2 their ids
-- ARGV: 1 number of the message after which to read, 2 most characters, 3 most messages
-- Result: {1 if there are more messages, else 0; then number and JSON of each message, oldest first}
-- @include read-message.lua
local CHUNK = 16
local left, most = tonumber(ARGV[2]), tonumber(ARGV[3])
local at = math.max(0, redis.call('LLEN', KEYS[1]) - countFrom(KEYS[2], '(' .. ARGV[1]))
local found, count = { 0 }, 0
local function take()
  local texts = redis.call('LRANGE', KEYS[1], at, at + CHUNK - 1)
  for _, text in ipairs(texts) do
    local number, size, json = readMessage(text)
    left = left - size
    if count > 0 and (left < 0 or count >= most) then
      found[1] = 1
      return false
    end
    count = count + 1
    found[2 * count], found[2 * count + 1] = number, json
  end
  at = at + CHUNK
  return #texts == CHUNK
end
while take() do end
return found
