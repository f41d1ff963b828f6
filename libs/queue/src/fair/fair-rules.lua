-- fairRules(ARGV, from, now, ending): the rules of a consumer. ARGV from there: share of the slots, slots of all consumers, 'time' or 'count'.
local function fairRules(ARGV, from, now, ending)
  return {
    maxShare = tonumber(ARGV[from]),
    slots = tonumber(ARGV[from + 1]),
    isTimed = ARGV[from + 2] == 'time',
    now = tonumber(now),
    ending = ending,
  }
end
