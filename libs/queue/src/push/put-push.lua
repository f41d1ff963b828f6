-- Adds a push delivery to an invocation. Its first status is the present one. It replaces an earlier one with the same configuration id.
--
-- KEYS: those of BullMQ's script that adds a prioritized job, then the job of the invocation
-- ARGV: 1 job id of the delivery, 2 now (ms), 3 data of the delivery, 4 its options, 5 configuration id, 6 highest number of
--   configurations
-- Result: 1; 0 if the invocation does not exist; -1 if it has that many configurations
-- `addPrioritizedJob` is BullMQ's script of that name as a function (asFunction in ../bullmq/layout.ts).
-- @include push-status.lua
-- @include ../fair/put-in-ring.lua
local job, id, name = KEYS[#KEYS], ARGV[1], ARGV[5]
if redis.call('HEXISTS', job, 'timestamp') == 0 then return 0 end
local pushes = cjson.decode(redis.call('HGET', job, '${field.pushes}') or '{}')
local count = 0
for _ in pairs(pushes) do count = count + 1 end
local earlier = pushes[name]
if not earlier and count >= tonumber(ARGV[6]) then return -1 end
-- The client sends the command again after a lost connection.
if earlier == id then return 1 end
if earlier then stopPush(earlier) end
local prefix = '${prefix}:${deliveries}:'
addPrioritizedJob(KEYS, { cmsgpack.pack({ prefix, id, '${deliveries}', tonumber(ARGV[2]) }), ARGV[3], ARGV[4] })
divertToRing(prefix, keepLane(prefix .. id), id, tonumber(redis.call('HGET', prefix .. id, 'priority')))
pushes[name] = id
redis.call('HSET', job, '${field.pushes}', cjson.encode(pushes))
local status
if redis.call('HEXISTS', job, 'finishedOn') == 1 then
  status = endedStatus(job)
else
  status = redis.call('HGET', job, '${field.lastStatus}')
    or (redis.call('HEXISTS', job, 'processedOn') == 1 and 'running' or 'queued')
end
addStatus(prefix .. id, status)
return 1
