-- Plain jobs have no delay and no priority. They and their deliveries are added without BullMQ's scripts, whose other cases cost most of their
-- time. Their keys and fields are those that BullMQ's `addStandardJob` and `addParentJob` write, but for the stream of events, the counter of
-- ids, and the fields `delay`, `priority` and most often `opts`. All scripts take an absent `delay` or `priority` for 0, and the options of a
-- job without `opts` are PLAIN_OPTIONS of plain-options.ts. A field takes about 60 bytes and `opts` 120.
-- @include ../fair/put-in-ring.lua
-- @include ../bullmq/delivery-parent.lua

-- The stored jobs that are in no list yet: for each lane of a queue `prefix` (of the queue's keys), `lane` and `ids`, in order. `unlistedIn` has
-- the same by the two names.
local unlisted, unlistedIn = {}, {}

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

-- storeDelivery(job, at, delivery, data, options): stores a delivery that waits for the end of a job, and names it in the job. `options` is JSON, or
-- nil to store none.
local function storeDelivery(job, at, delivery, data, options)
  local parent = '${prefix}:${deliveries}:' .. delivery
  redis.call('HSET', parent, 'name', '${deliveries}', 'data', data, 'timestamp', at, 'priority', ${deliveryPriority})
  if options then redis.call('HSET', parent, 'opts', options) end
  redis.call('ZADD', '${prefix}:${deliveries}:waiting-children', at, delivery)
  redis.call('SADD', parent .. ':dependencies', job)
  redis.call('HSET', job, 'parentKey', parent, 'parent', parentField(delivery))
end

-- storePlain(kind, id, at, data): stores the hash of a job, accepted `at` (ms). `kind` has `jobs` (prefix of job keys), `name`, `lane`, `options`
-- (JSON, '' to store none), and `awaited` if a request waits for its end.
local function storePlain(kind, id, at, data)
  kind.fields = kind.fields or moreFields(kind)
  redis.call('HSET', kind.jobs .. id, 'name', kind.name, 'data', data, 'timestamp', at, unpack(kind.fields))
  kind.place = kind.place or kind.jobs .. kind.lane
  local list = unlistedIn[kind.place]
  if not list then
    list = { prefix = kind.jobs, lane = kind.lane, ids = {} }
    unlistedIn[kind.place], unlisted[#unlisted + 1] = list, list
  end
  list.ids[#list.ids + 1] = id
end

-- listPlain(diverts): adds the stored jobs to the waiting ones. A job stays in BullMQ's list if nothing else waits. The others go to their
-- lanes. `diverts` has the prefixes of the queues whose jobs all go to their lanes.
local function listPlain(diverts)
  local lanes = {}
  for _, list in ipairs(unlisted) do
    local prefix, ids = list.prefix, list.ids
    lanes[prefix] = lanes[prefix] or {}
    if not diverts[prefix] and isStraight(prefix) then redis.call('LPUSH', prefix .. 'wait', table.remove(ids, 1)) end
    diverts[prefix] = true
    if #ids > 0 then table.insert(lanes[prefix], list) end
  end
  for prefix, lists in pairs(lanes) do
    if #lists > 0 then putAllInRing(prefix, lists, 0) end
    wakeConsumer(prefix)
  end
  unlisted, unlistedIn = {}, {}
end
