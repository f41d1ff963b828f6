-- @include ../bullmq/bull-event.lua
-- @include put-in-ring.lua
local AT_ONCE = 1000

-- takeDue(prefix, now): returns delayed jobs that are due to their lanes, before BullMQ's script would move them to its waiting list, where
-- they would overtake all other tenants. Returns whether more may be due.
local function takeDue(prefix, now)
  local delayed = prefix .. 'delayed'
  local due = redis.call('ZRANGEBYSCORE', delayed, 0, (now + 1) * 0x1000 - 1, 'LIMIT', 0, AT_ONCE)
  if #due == 0 then return false end
  redis.call('ZREM', delayed, unpack(due))
  for _, id in ipairs(due) do
    returnToRing(prefix, id)
    if redis.call('HEXISTS', prefix .. id, 'timestamp') == 1 then
      redis.call('HSET', prefix .. id, 'delay', 0)
      bullEvent(prefix, 'waiting', id, 'prev', 'delayed')
    end
  end
  return #due == AT_ONCE
end

-- withoutDelayed(keys, number, prefix): the KEYS of a script of BullMQ, with an empty set in place of the delayed jobs.
local function withoutDelayed(keys, number, prefix)
  local copy = { unpack(keys) }
  copy[number] = prefix .. 'fair:none'
  return copy
end
