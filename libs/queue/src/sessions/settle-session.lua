-- Gives a session its usual life again after the end of a turn that was suspended, unless another turn is suspended.
--
-- KEYS: 1 session
-- ARGV: 1 seconds, 2 to 4 prefixes of the keys of conversations (messages, ids of messages, turns), 5 prefix of the jobs of turns, 6 mark of
--   called turns
-- Result: nil
-- @include ../bullmq/layout.lua
-- @include keep-session.lua
local seconds, mark = tonumber(ARGV[1]), ARGV[6]
if redis.call('TTL', KEYS[1]) <= seconds then return end
local agents = agentsOfSession(KEYS[1])
for _, agent in ipairs(agents) do
  for _, member in ipairs(redis.call('ZRANGE', ARGV[4] .. agent, 0, -1)) do
    local job = ARGV[5] .. (string.sub(member, 1, #mark) == mark and string.sub(member, #mark + 1) or member)
    if isOpen(job) and redis.call('HEXISTS', job, '${field.suspended}') == 1 then return end
  end
end
redis.call('EXPIRE', KEYS[1], seconds)
for _, agent in ipairs(agents) do
  for n = 2, 4 do redis.call('EXPIRE', ARGV[n] .. agent, seconds) end
end
