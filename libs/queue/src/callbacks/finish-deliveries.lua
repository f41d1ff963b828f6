-- Ends deliveries that were sent or have nothing to send, makes deferred deliveries of their receivers due, and takes the next ones. One atomic
-- step. It does for deliveries what ../bullmq/finish-and-take.lua does for invocations, and may arrive twice as well.
--
-- KEYS: 1 active list of the queue, 2 name of the last take of this consumer
-- ARGV: 1 to 11 as in finish-and-take.lua, 12 number of receivers; then for each receiver 2 fields: key of its deferred deliveries, the highest
--   number of them to resume; then for each ended delivery 5 fields: id, token, count of starts, result (JSON), line for its log ('' for none)
-- Result: that of finish-and-take.lua
-- @include ../fair/admit.lua
-- @include ../fair/take-due.lua
-- @include ../bullmq/read-call.lua
-- @include end-deliveries.lua for endDeliveries
-- @include resume.lua
local call, receivers = readCall(KEYS, ARGV), tonumber(ARGV[FIXED + 1])
local firstEnd = FIXED + 2 + 2 * receivers
local codes = endDeliveries(call.queue, ARGV, firstEnd, call.now, call.rules)
for at = FIXED + 2, firstEnd - 1, 2 do
  local deferred, most = unpack(ARGV, at, at + 1)
  resumeDeferred(deferred, tonumber(most), call.now, call.queue.jobs .. 'delayed', call.queue.jobs .. 'marker')
end
return replyTo(call, codes)
