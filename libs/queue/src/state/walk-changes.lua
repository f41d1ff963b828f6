-- Walks invocations in the order of their last changes, oldest change first, and finds those that fulfil a plan. The work is bounded by
-- ARGV 3, and by the logarithm of the number of invocations, wherever the walk begins.
--
-- KEYS: 1 order of changes; the plan names the others by number
-- ARGV: 1 the plan (JSON, from planWalk), see match-invocation.lua; with `isShort`, only its candidates are looked at; 2 members to find,
--   3 members to look at, 4 number of the change after which to begin, 5 its member ('' for all members of that number), 6 whether to return
--   the members (1 or 0)
-- Result: the position that was looked at last, the number of members looked at, the number of members found, then the position of each
--   found one; a position is '<number>:<member>'
-- @include match-invocation.lua
local plan, wanted, most = cjson.decode(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local after, behind = tonumber(ARGV[4]), ARGV[5]
local reply, looked, count, last = {}, 0, 0, ''
local function look(member, change)
  looked, last = looked + 1, string.format('%.0f:%s', change, member)
  if not matches(plan, member) then return end
  count = count + 1
  if ARGV[6] == '1' then reply[#reply + 1] = last end
end
-- New changes have a number of their own. Only invocations from before the order of changes can share one.
if plan.isShort then
  local some = {}
  for _, member in ipairs(candidates(plan)) do
    local change = tonumber(redis.call('ZSCORE', KEYS[1], member) or nil)
    if change and (change > after or change == after and member > behind) then some[#some + 1] = { member, change } end
  end
  table.sort(some, function(a, b) return a[2] < b[2] or a[2] == b[2] and a[1] < b[1] end)
  for _, one in ipairs(some) do
    if count == wanted then break end
    look(one[1], one[2])
  end
else
  local stays = behind ~= '' and tonumber(redis.call('ZSCORE', KEYS[1], behind) or nil) == after
  local rank = stays and redis.call('ZRANK', KEYS[1], behind) + 1 or redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[4])
  while count < wanted and looked < most do
    local step = math.min(math.max(wanted, 16), most - looked)
    local next = redis.call('ZRANGE', KEYS[1], rank, rank + step - 1, 'WITHSCORES')
    if #next == 0 then break end
    for n = 1, #next, 2 do
      if count == wanted then break end
      look(next[n], tonumber(next[n + 1]))
    end
    rank = rank + #next / 2
  end
end
return { last, looked, count, unpack(reply) }
