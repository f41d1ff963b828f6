-- fairRules(ARGV, from, now, ending): the rules of a consumer. ARGV from there: highest share of the slots for one tenant, slots of all consumers,
-- 'time' or 'count' (of what a job costs its tenant). `now` in ms; `ending` as in admitNext.
local function fairRules(ARGV, from, now, ending)
  return {
    maxShare = tonumber(ARGV[from]),
    slots = tonumber(ARGV[from + 1]),
    isTimed = ARGV[from + 2] == 'time',
    now = tonumber(now),
    ending = ending,
  }
end
