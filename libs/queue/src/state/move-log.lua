-- moveLog(stream, entries): appends the log lines among these entries of an event stream to the log of the invocation, as one entry. Its id is
-- `<number of its last line>-<number of its last event>`. Lines are numbered from 1. `lines` has their JSON, separated by commas; `bytes` is
-- the size of all entries so far, including the removed ones. The oldest entries are removed when the others exceed LOG_BYTES.
local LOG_BYTES = 32 * 1024 * 1024
local LOG_BEGIN = '{"event":"log"'
local function moveLog(stream, entries)
  local lines = {}
  for _, entry in ipairs(entries) do
    -- An entry is { '<number>-0', { 'e', JSON, … } }.
    local text = entry[2][2]
    if string.sub(text, 1, #LOG_BEGIN) == LOG_BEGIN then lines[#lines + 1] = text end
  end
  if #lines == 0 then return end
  local log = string.gsub(stream, ':events:', ':log:', 1)
  -- An entry of the log is { id, { 'lines', lines, 'bytes', bytes } }.
  local last = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  local before = last and tonumber(string.match(last[1], '^%d+')) or 0
  local text = table.concat(lines, ',')
  local bytes = (last and tonumber(last[2][4]) or 0) + #text
  local id = string.format('%d-%d', before + #lines, tonumber(string.match(entries[#entries][1], '^%d+')))
  redis.call('XADD', log, id, 'lines', text, 'bytes', string.format('%d', bytes))
  local first = redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
  while bytes - tonumber(first[2][4]) > LOG_BYTES do
    redis.call('XDEL', log, first[1])
    first = redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
  end
  local seconds = redis.call('TTL', stream)
  if seconds > 0 then redis.call('EXPIRE', log, seconds) end
end
