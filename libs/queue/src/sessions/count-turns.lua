-- Counts a part of the open turns of a conversation. Turns that have ended or were removed leave the order.
--
-- KEYS: 1 turns of the conversation
-- ARGV: 1 number of turns to pass, 2 number of turns to look at, 3 prefix of the jobs of turns, 4 mark of called turns
-- Result: {running or queued, waiting for an answer, looked at}
-- @include ../bullmq/layout.lua
local members = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[1] + ARGV[2] - 1)
local running, waiting, mark = 0, 0, ARGV[4]
for _, member in ipairs(members) do
  local job = ARGV[3] .. (string.sub(member, 1, #mark) == mark and string.sub(member, #mark + 1) or member)
  if not isOpen(job) then redis.call('ZREM', KEYS[1], member)
  elseif redis.call('HGET', job, '${field.suspended}') == 'answer' then waiting = waiting + 1
  else running = running + 1 end
end
return { running, waiting, #members }
