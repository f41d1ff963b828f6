-- @include bull-event.lua
-- @include delivery-parent.lua
-- @include ../fair/put-in-ring.lua

-- The delivery of an invocation is the parent of its job.
--
-- isDelivery(parentKey, parent): whether the parent is a delivery as `enqueue.lua` stores it: a failed child releases it like a succeeded
-- one, it has a priority, and it is not delayed. Any other parent needs BullMQ's script. The arguments are fields of the ended job.
local function isDelivery(parentKey, parent)
  if parent ~= parentField(string.sub(parentKey, #DELIVERIES + 1)) then
    -- BullMQ's script has added the job. It may write the field in another order.
    local isRead, options = pcall(cjson.decode, parent or '')
    if not isRead or not options.rdof or options.fpof or options.cpof or options.idof then return false end
    if parentKey ~= options.queueKey .. ':' .. options.id or options.queueKey .. ':' ~= DELIVERIES then return false end
  end
  local priority, delay = unpack(redis.call('HMGET', parentKey, 'priority', 'delay'))
  return not priority or (tonumber(priority) > 0 and (tonumber(delay) or 0) == 0)
end

-- endChild(parentKey, job): notes the end of a job at its delivery. Returns whether the delivery waited for it alone.
local function endChild(parentKey, job)
  local children, id = parentKey .. ':dependencies', string.sub(parentKey, #DELIVERIES + 1)
  if redis.call('SREM', children, job) == 0 or redis.call('SCARD', children) > 0 then return false end
  return redis.call('ZREM', DELIVERIES .. 'waiting-children', id) == 1 and redis.call('EXISTS', parentKey) == 1
end

-- releaseDeliveries(ended): adds the deliveries of ended jobs to their lanes. `ended`: a list of jobs with `job` (key), `parentKey`
-- (false for a job without a delivery) and `tenant`. BullMQ would copy the result of each to its delivery, which reads it from the job.
local function releaseDeliveries(ended)
  local lists = {}
  for _, ending in ipairs(ended) do
    if ending.parentKey and endChild(ending.parentKey, ending.job) then
      local id, lane = string.sub(ending.parentKey, #DELIVERIES + 1), '0:' .. ending.tenant .. ':'
      if lane ~= DEFAULT_LANE then redis.call('HSET', ending.parentKey, '${field.lane}', lane) end
      table.insert(listIn(lists, lane).ids, id)
      bullEvent(DELIVERIES, 'waiting', id, 'prev', 'waiting-children')
    end
  end
  if #lists == 0 then return end
  putAllInRing(DELIVERIES, lists, ${deliveryPriority})
  wakeConsumer(DELIVERIES)
end
