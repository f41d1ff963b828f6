-- Reads the newest messages of a conversation within a size. The newest message is always among them.
--
-- KEYS: 1 messages
-- ARGV: 1 most characters, 2 most messages
-- Result: {number of older messages, JSON of each message, newest first}
local CHUNK = 16
local left, count, from = tonumber(ARGV[1]), tonumber(ARGV[2]), '+'
local found = { 0 }
local function take()
  local entries = redis.call('XREVRANGE', KEYS[1], from, '-', 'COUNT', CHUNK)
  for _, entry in ipairs(entries) do
    left = left - entry[2][2]
    if #found > 1 and (left < 0 or #found > count) then return false end
    found[#found + 1] = entry[2][4]
    from = '(' .. entry[1]
  end
  return #entries == CHUNK
end
while take() do end
found[1] = redis.call('XLEN', KEYS[1]) - #found + 1
return found
