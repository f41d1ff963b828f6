-- Reads the newest messages of a conversation within a size, or the newest before a message. The first of them is always read.
--
-- KEYS: 1 messages
-- ARGV: 1 most characters, 2 most messages, 3 number of the message before which to read ('' for the newest)
-- Result: {number of stored messages, number of the last message that was read, JSON of each message, newest first}
local CHUNK = 16
local left, most, from = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '' and '+' or '(' .. ARGV[3] .. '-0'
local found, number = {}, ARGV[3]
local function take()
  local entries = redis.call('XREVRANGE', KEYS[1], from, '-', 'COUNT', CHUNK)
  for _, entry in ipairs(entries) do
    left = left - entry[2][2]
    if #found > 0 and (left < 0 or #found >= most) then return false end
    found[#found + 1] = entry[2][4]
    from, number = '(' .. entry[1], string.match(entry[1], '^%d+')
  end
  return #entries == CHUNK
end
while take() do end
return { redis.call('XLEN', KEYS[1]), number, unpack(found) }
