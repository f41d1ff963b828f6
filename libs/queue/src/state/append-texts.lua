-- @include append-status.lua

-- appendTexts(stream, seconds, args, first, count): appends events (JSON) and keeps the stream. Events are numbered from 1 without a gap, so
-- that a reader sees whether it missed some.
local KEPT_EVENTS = 5000
local function appendTexts(stream, seconds, args, first, count)
  if count == 0 then return end
  local number = newestNumber(stream)
  for n = first, first + count - 1 do
    number = number + 1
    redis.call('XADD', stream, 'MAXLEN', '~', KEPT_EVENTS, string.format('%d-0', number), 'e', args[n])
  end
  redis.call('EXPIRE', stream, seconds)
end
