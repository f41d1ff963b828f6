-- Deletes a session with all its conversations, unless one of its turns is open.
--
-- KEYS: 1 session
-- ARGV: 1 to 3 prefixes of the keys of conversations (messages, ids of messages, turns), 4 prefix of the jobs of turns, 5 mark of called turns
-- Result: {1}; {0, id of an open turn}; {-1} if the session does not exist
-- @include ../bullmq/layout.lua
-- @include keep-session.lua
if redis.call('EXISTS', KEYS[1]) == 0 then return { -1 } end
local agents, mark = agentsOfSession(KEYS[1]), ARGV[5]
for _, agent in ipairs(agents) do
  for _, member in ipairs(redis.call('ZRANGE', ARGV[3] .. agent, 0, -1)) do
    local id = string.sub(member, 1, #mark) == mark and string.sub(member, #mark + 1) or member
    if isOpen(ARGV[4] .. id) then return { 0, id } end
  end
end
redis.call('DEL', KEYS[1])
for _, agent in ipairs(agents) do
  for n = 1, 3 do redis.call('DEL', ARGV[n] .. agent) end
end
return { 1 }
