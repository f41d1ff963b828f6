-- Finds the open turn before a turn. Turns that have ended or were removed leave the order on the way, so that each costs this once.
--
-- KEYS: 1 turns of the conversation
-- ARGV: 1 id of the turn, 2 prefix of the jobs of turns, 3 mark of turns that another turn called: they run beside the others
-- Result: the id of the open turn; nil if there is none, or if the turn has no place in the order
-- @include ../bullmq/layout.lua
local CHUNK = 20
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score then return false end
local passed, mark = 0, ARGV[3]
while true do
  local earlier = redis.call('ZREVRANGEBYSCORE', KEYS[1], '(' .. score, '-inf', 'LIMIT', passed, CHUNK)
  for _, member in ipairs(earlier) do
    local isCalled = string.sub(member, 1, #mark) == mark
    local id = isCalled and string.sub(member, #mark + 1) or member
    if not isOpen(ARGV[2] .. id) then redis.call('ZREM', KEYS[1], member)
    elseif not isCalled then return id
    else passed = passed + 1 end
  end
  if #earlier < CHUNK then return false end
end
