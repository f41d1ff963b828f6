-- appendTexts(stream, seconds, args, first, count, batch): appends events (JSON) and keeps the stream. Events are numbered from 1 without a
-- gap, so that a reader sees whether it missed some. The last event of a batch has the name of the batch: a client that lost the response
-- sends its command again, and the second one appends nothing. Without a name, every command appends.
local KEPT_EVENTS = 5000
local function appendTexts(stream, seconds, args, first, count, batch)
  if count == 0 then return end
  local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
  if batch and last and last[2][4] == batch then return end
  local number = last and tonumber(string.match(last[1], '^%d+')) or 0
  for n = first, first + count - 1 do
    number = number + 1
    local entry = { 'e', args[n] }
    if batch and n == first + count - 1 then entry = { 'e', args[n], 'b', batch } end
    redis.call('XADD', stream, 'MAXLEN', '~', KEPT_EVENTS, string.format('%d-0', number), unpack(entry))
  end
  redis.call('EXPIRE', stream, seconds)
end
