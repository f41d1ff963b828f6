-- @include store-events.lua

-- keepFor(key, seconds): makes a key expire in `seconds`, at most 1 % earlier. Most calls write nothing.
local function keepFor(key, seconds)
  local left = redis.call('TTL', key)
  if left < seconds * 0.99 or left > tonumber(seconds) then redis.call('EXPIRE', key, seconds) end
end

-- appendTexts(job, stream, seconds, args, first, count, batch): appends those of the arguments that are events, and keeps the stream.
-- Without the name of a batch, every command appends.
local function appendTexts(job, stream, seconds, args, first, count, batch)
  if count == 0 then return end
  local texts = {}
  for n = 1, count do texts[n] = args[first + n - 1] end
  storeEvents(job, stream, texts, batch)
  keepFor(stream, seconds)
end
