-- parentField(delivery): the field `parent` of a job whose delivery has this id, as BullMQ reads it. `rdof`: a failed job releases its delivery, too.
local function parentField(delivery) return '{"id":"' .. delivery .. '","queueKey":"${prefix}:${deliveries}","rdof":true}' end
