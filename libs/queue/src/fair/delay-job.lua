-- Moves an active job to the delayed ones by BullMQ's script. It takes no next job there: BullMQ's script would move all due jobs to its waiting
-- list, where they overtake every tenant. The slot time of the job is charged, and the times of its attempt are kept.
--
-- KEYS: those of BullMQ's script
-- ARGV: those of BullMQ's script (1 prefix, 2 now in ms, 3 id, 8 whether to take a next job), then the rules (fairRules), which end with
--   'time' or 'count'
-- Result: that of BullMQ's script
-- `moveToDelayed` is BullMQ's script of that name as a function (asFunction in ../bullmq/layout.ts).
-- @include lanes.lua
-- @include charge.lua
-- @include ../state/note-attempt.lua
local given = { unpack(ARGV) }
given[8] = '0'
local reply = moveToDelayed(KEYS, given)
if reply == 0 then noteAttempt(ARGV[1] .. ARGV[3], ARGV[2]) end
if reply == 0 and ARGV[#ARGV] == 'time' then chargeRelease(ARGV[1], ARGV[3], tonumber(ARGV[2])) end
return reply
