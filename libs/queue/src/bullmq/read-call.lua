-- @include ../fair/fair-rules.lua
-- @include take-jobs.lua
-- The number of ARGV before those of ended jobs.
local FIXED = 11

-- readCall(keys, args): the call of a consumer. finish-and-take.lua describes KEYS and ARGV.
local function readCall(keys, args)
  local now = tonumber(args[3])
  return { queue = { jobs = args[1], name = args[2], active = keys[1], lastTake = keys[2] }, now = now, id = args[4], lockMs = args[5],
    wanted = tonumber(args[6]), bytes = tonumber(args[7]), portion = tonumber(args[8]), rules = fairRules(args, 9, now, '') }
end

-- replyTo(call, codes): takes the jobs that a call wants, and returns its reply. `codes` are those of the ended jobs.
local function replyTo(call, codes)
  if call.wanted == 0 then return { codes, {}, MORE, 0 } end
  local taken, state, due =
    takeJobs(call.queue, call.id, call.now, call.lockMs, call.wanted, call.bytes, call.portion, call.rules)
  return { codes, taken, state, due }
end
