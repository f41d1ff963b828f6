-- @include bull-event.lua
-- @include ../fair/put-in-ring.lua

-- The delivery of an invocation is the parent of its job. Each function takes the fields `parentKey` and `parent` of the ended job.

-- isDelivery(parentKey, parent): whether the parent is a delivery as `enqueue.lua` stores it: a failed child releases it like a succeeded
-- one, it has a priority, and it is not delayed. Any other parent needs BullMQ's script.
local function isDelivery(parentKey, parent)
  local isRead, options = pcall(cjson.decode, parent or '')
  if not isRead or not options.rdof or options.fpof or options.cpof or options.idof then return false end
  if parentKey ~= options.queueKey .. ':' .. options.id or options.queueKey ~= '${prefix}:${deliveries}' then return false end
  local priority, delay = unpack(redis.call('HMGET', parentKey, 'priority', 'delay'))
  return not priority or (tonumber(priority) > 0 and (tonumber(delay) or 0) == 0)
end

-- releaseDelivery(parentKey, job, value): adds a delivery whose last child has ended to its lane. `value` is the result of a succeeded child,
-- which BullMQ copies to the parent, or nil.
local function releaseDelivery(parentKey, job, value)
  local children, deliveries = parentKey .. ':dependencies', '${prefix}:${deliveries}:'
  if redis.call('SREM', children, job) == 0 then return end
  if value then redis.call('HSET', parentKey .. ':processed', job, value) end
  if redis.call('SCARD', children) > 0 or redis.call('EXISTS', parentKey) == 0 then return end
  local id = string.sub(parentKey, #deliveries + 1)
  if redis.call('ZREM', deliveries .. 'waiting-children', id) == 0 then return end
  local lane = laneOf(parentKey)
  putInRing(deliveries, lane, id, tonumber(redis.call('HGET', parentKey, 'priority')), false)
  if lane ~= DEFAULT_LANE then redis.call('HSET', parentKey, '${field.lane}', lane) end
  bullEvent(deliveries, 'waiting', id, 'prev', 'waiting-children')
  local paused, most = unpack(redis.call('HMGET', deliveries .. 'meta', 'paused', 'concurrency'))
  if paused or (most and redis.call('LLEN', deliveries .. 'active') >= tonumber(most)) then return end
  redis.call('ZADD', deliveries .. 'marker', 0, '0')
end
