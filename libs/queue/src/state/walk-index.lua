-- Walks sorted sets side by side, newest member first, and returns the members that are in all the sets of `checks` as well. The work is
-- bounded by ARGV 4, and by the logarithm of the size of the sets, wherever the walk begins.
--
-- KEYS: sets to walk, lists to walk (short lists of ids), checks
-- ARGV: 1 number of sets, 2 number of lists, 3 members to find, 4 members to look at, 5 upper end ('+' or '(member'),
--   6 lower end ('-' or '[member')
-- Result: the last member that was looked at (false at the end), the number of members looked at, the members found
local sets, lists, wanted, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local upper, lower = ARGV[5], ARGV[6]
local short = {}
for n = sets + 1, sets + lists do
  for _, id in ipairs(redis.call('LRANGE', KEYS[n], 0, -1)) do
    local member = string.match(id, '^inv_(%w+)$')
    if member and (lower == '-' or member >= string.sub(lower, 2)) then short[#short + 1] = member end
  end
end
local found, looked, last = {}, 0, nil
while #found < wanted and looked < most do
  local step = math.min(math.max(wanted, 16), most - looked)
  local next = {}
  for n = 1, sets do
    for _, member in ipairs(redis.call('ZREVRANGEBYLEX', KEYS[n], upper, lower, 'LIMIT', 0, step)) do next[#next + 1] = member end
  end
  for _, member in ipairs(short) do
    if upper == '+' or member < string.sub(upper, 2) then next[#next + 1] = member end
  end
  if #next == 0 then return {false, looked, unpack(found)} end
  table.sort(next, function(a, b) return a > b end)
  for n = 1, math.min(step, #next) do
    local member = next[n]
    if member ~= last then
      last, looked = member, looked + 1
      local fits = true
      for check = sets + lists + 1, #KEYS do
        fits = fits and redis.call('ZSCORE', KEYS[check], member)
      end
      if fits then found[#found + 1] = member end
      if #found == wanted then break end
    end
  end
  upper = '(' .. last
end
return {last, looked, unpack(found)}
