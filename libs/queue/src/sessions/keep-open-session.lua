-- Keeps a session while one of its turns is suspended.
--
-- KEYS: 1 session
-- ARGV: 1 seconds, 2 to 4 prefixes of the keys of conversations (messages, ids of messages, turns)
-- Result: nil
-- @include keep-session.lua
if redis.call('EXISTS', KEYS[1]) == 0 then return end
local seconds = tonumber(ARGV[1])
keepAtLeast(KEYS[1], seconds)
for _, agent in ipairs(agentsOfSession(KEYS[1])) do
  for n = 2, 4 do keepAtLeast(ARGV[n] .. agent, seconds) end
end
