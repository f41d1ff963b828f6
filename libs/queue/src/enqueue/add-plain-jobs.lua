-- Plain jobs have no delay, no priority and no delivery. They are added without BullMQ's script, whose other cases cost most of its time.
-- Their keys and fields are those that BullMQ's `addStandardJob` writes, but for its stream of events, its counter of ids, and the fields
-- `delay`, `priority` and most often `opts`. All scripts take an absent `delay` or `priority` for 0, and the options of a job without `opts`
-- are PLAIN_OPTIONS of plain-options.ts. A field takes about 60 bytes and `opts` 120.
-- @include ../fair/put-in-ring.lua

-- The kinds with stored jobs that are in no list yet. The field `unlisted` of a kind has the ids of these jobs, in order.
local unlisted = {}

-- moreFields(kind): the fields that only some kinds have, and their values.
local function moreFields(kind)
  local fields = {}
  local function add(field, value)
    fields[#fields + 1] = field
    fields[#fields + 1] = value
  end
  if kind.options ~= '' then add('opts', kind.options) end
  if kind.lane ~= DEFAULT_LANE then add('${field.lane}', kind.lane) end
  if kind.awaited then add('${field.awaited}', '1') end
  return fields
end

-- storePlain(kind, id, at, data): stores the hash of a job, accepted `at` (ms). `kind` has `jobs` (prefix of job keys), `name`, `lane`, `options`
-- (JSON, '' to store none), and `awaited` if a request waits for its end.
local function storePlain(kind, id, at, data)
  kind.fields = kind.fields or moreFields(kind)
  redis.call('HSET', kind.jobs .. id, 'name', kind.name, 'data', data, 'timestamp', at, unpack(kind.fields))
  if not kind.unlisted then
    kind.unlisted = {}
    unlisted[#unlisted + 1] = kind
  end
  kind.unlisted[#kind.unlisted + 1] = id
end

-- wakeConsumer(prefix): sets the marker, unless the queue is paused or runs as many jobs as it may.
local function wakeConsumer(prefix)
  local paused, most = unpack(redis.call('HMGET', prefix .. 'meta', 'paused', 'concurrency'))
  if paused or (most and redis.call('LLEN', prefix .. 'active') >= tonumber(most)) then return end
  redis.call('ZADD', prefix .. 'marker', 0, '0')
end

-- listPlain(diverts): adds the stored jobs to the waiting ones. A job stays in BullMQ's list if nothing else waits. The others go to their
-- lanes. `diverts` has the prefixes of the queues whose jobs all go to their lanes.
local function listPlain(diverts)
  if #unlisted == 0 then return end
  local woken = {}
  for _, kind in ipairs(unlisted) do
    local prefix, ids = kind.jobs, kind.unlisted
    kind.unlisted = nil
    if not diverts[prefix] and isStraight(prefix) then redis.call('LPUSH', prefix .. 'wait', table.remove(ids, 1)) end
    diverts[prefix] = true
    if #ids > 0 then putAllInRing(prefix, kind.lane, ids) end
    woken[prefix] = true
  end
  for prefix in pairs(woken) do wakeConsumer(prefix) end
  unlisted = {}
end
