-- readMessage(text): the number (as text), the size in characters and the JSON of a stored message.
local function readMessage(text)
  local number, size, json = string.match(text, '^(%d+) (%d+) (.*)$')
  return number, tonumber(size), json
end

-- countFrom(ids, bound): how many messages have a number from `bound` on; '(7' excludes 7. The ids of all stored messages are known, so
-- this is their position from the end of the list. Logarithmic time.
local function countFrom(ids, bound)
  return redis.call('ZCOUNT', ids, bound, '+inf')
end
