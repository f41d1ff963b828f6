-- Plain jobs have no delay and no priority. They and their deliveries are added without BullMQ's scripts, whose other cases cost most of their
-- time. Their keys and fields are those that BullMQ's `addStandardJob` and `addParentJob` write, but for the stream of events, the counter of
-- ids, and the fields `delay`, `priority` and most often `opts`. All scripts take an absent `delay` or `priority` for 0, and the options of a
-- job without `opts` are PLAIN_OPTIONS of plain-options.ts. A field takes about 60 bytes and `opts` 120.
-- @include ../fair/put-in-ring.lua
-- @include ../bullmq/delivery-parent.lua

-- The stored jobs that are in no list yet, by the prefix of their queue: lists for putAllInRing.
local unlisted = {}

-- moreFields(group): the fields that only some groups have, and their values.
local function moreFields(group)
  local kind, fields = group.kind, {}
  local function add(field, value)
    fields[#fields + 1] = field
    fields[#fields + 1] = value
  end
  if kind.options ~= '' then add('opts', kind.options) end
  if group.lane ~= DEFAULT_LANE or kind.options ~= '' then add('${field.lane}', group.lane) end
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

-- storePlain(group, id, at, data): stores the hash of a job, accepted `at` (ms). `group` has `lane` and `kind`, which has `jobs` (prefix of job keys),
-- `name`, `options` (JSON, '' to store none), and `awaited` if a request waits for its end.
local function storePlain(group, id, at, data)
  local prefix, lane = group.kind.jobs, group.lane
  group.fields = group.fields or moreFields(group)
  redis.call('HSET', prefix .. id, 'name', group.kind.name, 'data', data, 'timestamp', at, unpack(group.fields))
  unlisted[prefix] = unlisted[prefix] or {}
  local ids = listIn(unlisted[prefix], lane).ids
  ids[#ids + 1] = id
end

-- listPlain(diverts): adds the stored jobs to BullMQ's list if they may wait there, else to their lanes. `diverts` has the prefixes of the queues
-- whose jobs all go to their lanes.
local function listPlain(diverts)
  for prefix, lists in pairs(unlisted) do
    local first = lists[1]
    if not lists[2] and not diverts[prefix] and mayWaitInList(prefix, first.lane, #first.ids) then
      redis.call('LPUSH', prefix .. 'wait', unpack(first.ids))
    else
      diverts[prefix] = true
      putAllInRing(prefix, lists, 0)
    end
    wakeConsumer(prefix)
  end
  unlisted = {}
end
