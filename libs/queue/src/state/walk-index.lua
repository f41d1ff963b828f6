-- Walks invocations from the newest to the oldest and finds those that fulfil a plan. The work is bounded by ARGV 3, and by the logarithm of
-- the size of the sets, wherever the walk begins.
--
-- KEYS: the plan names them by number
-- ARGV: 1 the plan (JSON, from planWalk): `sets` to walk, side by side, and the fields of match-invocation.lua; 2 members to find, 3 members
--   to look at, 4 upper end ('+' or '(member'), 5 whether to return the members (1 or 0)
-- Result: the last member that was looked at (nil at the end), the number of members looked at, the number of members found, the members
-- @include match-invocation.lua
local plan, wanted, most, upper = cjson.decode(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local short, position = candidates(plan), 1
table.sort(short, function(a, b) return a > b end)
while upper ~= '+' and short[position] and short[position] >= string.sub(upper, 2) do position = position + 1 end
local found, looked, last = {}, 0, nil
local function result(continues)
  local reply = { continues and last, looked, #found }
  if ARGV[5] == '1' then
    for _, member in ipairs(found) do reply[#reply + 1] = member end
  end
  return reply
end
while #found < wanted and looked < most do
  local step = math.min(math.max(wanted, 16), most - looked)
  local next = {}
  for _, set in ipairs(plan.sets) do
    for _, member in ipairs(redis.call('ZREVRANGEBYLEX', KEYS[set], upper, plan.lower, 'LIMIT', 0, step)) do
      next[#next + 1] = member
    end
  end
  for n = position, math.min(position + step - 1, #short) do next[#next + 1] = short[n] end
  if #next == 0 then return result(false) end
  table.sort(next, function(a, b) return a > b end)
  for n = 1, math.min(step, #next) do
    local member = next[n]
    if member == short[position] then position = position + 1 end
    if member ~= last then
      last, looked = member, looked + 1
      if matches(plan, member) then found[#found + 1] = member end
      if #found == wanted then break end
    end
  end
  upper = '(' .. last
end
return result(true)
