-- Reads messages of a conversation within a size, from the oldest one or from one after a message. The first of them is always read.
--
-- KEYS: 1 messages
-- ARGV: 1 number of the message after which to read, 2 most characters, 3 most messages
-- Result: {1 if there are more messages, number and JSON of each message, oldest first}
local CHUNK = 16
local left, most, from = tonumber(ARGV[2]), tonumber(ARGV[3]), '(' .. ARGV[1] .. '-0'
local found, count = { 0 }, 0
local function take()
  local entries = redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', CHUNK)
  for _, entry in ipairs(entries) do
    left = left - entry[2][2]
    if count > 0 and (left < 0 or count >= most) then
      found[1] = 1
      return false
    end
    count = count + 1
    found[2 * count], found[2 * count + 1] = string.match(entry[1], '^%d+'), entry[2][4]
    from = '(' .. entry[1]
  end
  return #entries == CHUNK
end
while take() do end
return found
