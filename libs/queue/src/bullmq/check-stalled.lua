-- Puts the jobs of dead consumers back, by BullMQ's script, once all live consumers have had a lock's time to renew their locks: Redis has
-- been up and answering for that long. Before that, the check only marks the active jobs, as BullMQ's first check does.
--
-- KEYS: those of BullMQ's script (1 set of marked jobs, 2 wait, 3 active, 4 key that exists just after a check), then the pulse
-- ARGV: those of BullMQ's script (1 deaths that a job survives, 2 prefix of the queue's keys), then 1 lock (ms), 2 gap (ms), 3 prefix of event keys
--   ('' for no events), 4 now (ISO 8601)
-- Result: the ids of the jobs that were put back, each into its lane. Invocations among them emit the status `queued`
--   and get a number in the order of changes.
-- `moveStalledJobsToWait` is BullMQ's script of that name as a function (asFunction in layout.ts).
-- @include locks.lua
-- @include count-deaths.lua
-- @include ../state/append-status.lua
-- @include ../state/note-attempt.lua
-- @include ../state/record-change.lua
-- @include ../fair/put-in-ring.lua
-- @include ../processes/note-left-jobs.lua
local lockMs = tonumber(ARGV[${bullmq.args} + 1])
local answeringMs = beat(KEYS[${bullmq.keys} + 1], ARGV[${bullmq.args} + 2])
if redis.call('EXISTS', KEYS[4]) == 1 then return {} end
local upMs = string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)') * 1000
if answeringMs < lockMs or upMs < lockMs + ${returnMs} then redis.call('DEL', KEYS[1]) end
local stalled = moveStalledJobsToWait(KEYS, ARGV)
countDeaths(ARGV[2], stalled, KEYS[3], tonumber(ARGV[1]))
noteLeftJobs(ARGV[2], stalled)
for _, id in ipairs(stalled) do
  -- BullMQ's script has put it at the end from which jobs are taken.
  if redis.call('LREM', KEYS[2], -1, id) == 1 then returnToRing(ARGV[2], id) end
end
local events = ARGV[${bullmq.args} + 3]
local seconds, micros = unpack(redis.call('TIME'))
local now = string.format('%d', seconds * 1000 + math.floor(micros / 1000))
for _, id in ipairs(events == '' and {} or stalled) do
  -- The id of a script that runs for a step has a dot.
  if not string.find(id, '.', 1, true) then
    noteAttempt(ARGV[2] .. id, now)
    appendStatus(ARGV[2] .. id, events .. id, id, 'queued', ARGV[${bullmq.args} + 4])
    local _, tenant = partsOfLane(laneOf(ARGV[2] .. id))
    recordChange('${prefix}:index:' .. tenant .. ':changed', '${changeClock}', string.sub(id, #'inv_' + 1))
  end
end
return stalled
