-- @include fair-rules.lua
-- @include admit.lua
-- @include take-due.lua
-- @include charge.lua

-- returnParent(parent): adds the parent of an ended job to its lane, if BullMQ's script has released it. `parent` is its key, or false.
local function returnParent(parent)
  if not parent then return end
  local prefix, id = string.match(parent, '^(.*:)([^:]*)$')
  if redis.call('ZREM', prefix .. 'prioritized', id) == 1 then
    putInRing(prefix, keepLane(parent), id, tonumber(redis.call('HGET', parent, 'priority')), false)
  end
end

-- heldSlot(options): whether the ending job held a slot. A cancel ends a job that waits: it takes it with a token of its own, which no worker
-- has (cancelJob in ../consume/cancel.ts). `options`: those of BullMQ's script (MessagePack).
local function heldSlot(options) return not string.find(cmsgpack.unpack(options).token or '', '^cancel:') end

-- endJob(KEYS, ARGV, rules): BullMQ's script that ends a job and takes the next one. The next one is admitted before, with the slot of the
-- ending job as a free one. The time of the job is charged afterwards. If BullMQ's script refuses, an admitted job just waits.
-- Returns the reply of BullMQ's script, and for how long the job has run (ms). The time is nil for a job that never started, and for a job
-- that held no slot: each release of a slot is charged, and the time since then is not a run.
local function endJob(KEYS, ARGV, rules)
  local prefix, job, admitted = ARGV[7], KEYS[12], 0
  if ARGV[6] == '1' then
    if takeDue(prefix, rules.now) then KEYS = withoutDelayed(KEYS, 7, prefix) end
    admitted = admitNext(prefix, 1, rules)
  end
  local reply = moveToFinished(KEYS, ARGV)
  if type(reply) == 'number' and reply < 0 then
    if admitted > 0 then redis.call('ZADD', prefix .. 'marker', 0, '0') end
    return reply
  end
  local fields = redis.call('HMGET', job, 'finishedOn', 'processedOn', '${field.lane}', 'parentKey')
  local ended, started, lane, parent = unpack(fields)
  lane = lane or DEFAULT_LANE
  local ranMs
  if started and ended then
    if heldSlot(ARGV[8]) then ranMs = ended - started end
    if rules.isTimed and ranMs then chargeAll(prefix, { { lane = lane, ms = ranMs } }) end
    noteWork(prefix, lane, rules)
  end
  returnParent(parent)
  return reply, ranMs
end
