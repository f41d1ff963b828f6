-- Finds the first invocation of a session that called one of some tools. Does several searches at once.
--
-- KEYS: for each search: the index of the session, and those of the tools
-- ARGV: 1 the members to look at for a tool; for each search: the number of its tools, the lower and the upper end of the members
-- Result: for each search, the first member that is in the index of the session and in that of a tool; '' if there is none
-- Effects: none
local PAGE = 100
local most = tonumber(ARGV[1])

-- firstOfBoth(one, other, lower, upper): walks the set that has fewer members in the range.
local function firstOfBoth(one, other, lower, upper)
  if redis.call('ZLEXCOUNT', other, lower, upper) < redis.call('ZLEXCOUNT', one, lower, upper) then one, other = other, one end
  for _ = 1, most, PAGE do
    local members = redis.call('ZRANGEBYLEX', one, lower, upper, 'LIMIT', 0, PAGE)
    for _, member in ipairs(members) do
      if redis.call('ZSCORE', other, member) then return member end
    end
    if #members < PAGE then return nil end
    lower = '(' .. members[PAGE]
  end
end

local found, key = {}, 1
for n = 2, #ARGV, 3 do
  local tools, lower, upper = tonumber(ARGV[n]), ARGV[n + 1], ARGV[n + 2]
  local first
  for tool = key + 1, key + tools do
    local member = firstOfBoth(KEYS[key], KEYS[tool], lower, upper)
    if member then first, upper = member, '(' .. member end
  end
  found[#found + 1] = first or ''
  key = key + 1 + tools
end
return found
