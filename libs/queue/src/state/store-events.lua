-- storeEvents(job, stream, texts, batch, isHeld): appends events (JSON) to those of an invocation. Events are numbered from 1 without a gap,
-- so that a reader sees whether it missed some. The last event of a batch has the name of the batch (nil for none): a client that lost the
-- response sends its command again, and the second one appends nothing.
--
-- A stream takes 4 KB for its first event. The job of a turn, or with `isHeld` any job, therefore holds its first events in a field, one a
-- line behind the name of its batch. When the field exceeds HELD_CHARS, they move to the stream and keep their numbers.
--
-- A stream keeps KEPT_EVENTS events. MOVED_EVENTS or more above that leave it together, and their log lines move to the log of the invocation.
-- @include move-log.lua
local HELD_CHARS = 2000
local KEPT_EVENTS = 5000
local MOVED_EVENTS = 500
local function addToStream(stream, number, text, batch)
  local entry = batch and { 'e', text, 'b', batch } or { 'e', text }
  redis.call('XADD', stream, string.format('%d-0', number), unpack(entry))
end

local function trimEvents(stream)
  local above = redis.call('XLEN', stream) - KEPT_EVENTS
  if above < MOVED_EVENTS then return end
  moveLog(stream, redis.call('XRANGE', stream, '-', '+', 'COUNT', above))
  redis.call('XTRIM', stream, 'MAXLEN', KEPT_EVENTS)
end

local function addAllToStream(stream, number, texts, batch)
  for n, text in ipairs(texts) do addToStream(stream, number + n, text, n == #texts and batch or nil) end
  if number >= KEPT_EVENTS then trimEvents(stream) end
end

local function addToHeld(job, stream, held, texts, batch)
  if batch and string.match(held, '([^ \n]*) [^\n]*\n$') == batch then return end
  local lines = { held }
  for n, text in ipairs(texts) do lines[n + 1] = (n == #texts and batch or '') .. ' ' .. text .. '\n' end
  held = table.concat(lines)
  if #held <= HELD_CHARS then return redis.call('HSET', job, '${field.heldEvents}', held) end
  local number = 0
  for name, text in string.gmatch(held, '([^ \n]*) ([^\n]*)\n') do
    number = number + 1
    addToStream(stream, number, text, name ~= '' and name or nil)
  end
  redis.call('HDEL', job, '${field.heldEvents}')
end

local function storeEvents(job, stream, texts, batch, isHeld)
  local held, name = unpack(redis.call('HMGET', job, '${field.heldEvents}', 'name'))
  if held then return addToHeld(job, stream, held, texts, batch) end
  local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
  if not last then
    if isHeld or name and string.sub(name, 1, 6) == 'agent:' then return addToHeld(job, stream, '', texts, batch) end
    return addAllToStream(stream, 0, texts, batch)
  end
  -- `last` is an entry of the stream: { '<number>-0', { 'e', JSON } }, or { '<number>-0', { 'e', JSON, 'b', batch } } at the end of a batch.
  if batch and last[2][4] == batch then return end
  addAllToStream(stream, tonumber(string.match(last[1], '^%d+')), texts, batch)
end
