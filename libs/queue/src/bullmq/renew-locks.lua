-- Renews the locks of the jobs that one consumer runs, and records its heartbeat.
--
-- KEYS: 1 active, 2 stalled, 3 pulse
-- ARGV: 1 prefix of job keys, 2 lock (ms), 3 gap (ms); then for each job: id, token, count of starts
-- Result: the positions (from 0) of the jobs that other processes have
-- @include locks.lua
beat(KEYS[3], ARGV[3])
local lost = {}
for n = 4, #ARGV, 3 do
  local id = ARGV[n]
  if not retake(ARGV[1] .. id, KEYS[1], KEYS[2], id, ARGV[n + 1], ARGV[n + 2], ARGV[2]) then lost[#lost + 1] = (n - 4) / 3 end
end
return lost
