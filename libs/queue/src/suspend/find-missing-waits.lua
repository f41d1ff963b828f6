-- Finds suspended jobs that wait for an answer and are not in the index of waits, for example because an earlier version of Errand has
-- suspended them.
--
-- KEYS: jobs
-- ARGV: none
-- Result: the numbers of these jobs in KEYS
local found = {}
for n, job in ipairs(KEYS) do
  local suspended, stored = unpack(redis.call('HMGET', job, '${field.suspended}', '${field.waits}'))
  if suspended == 'answer' then
    local waits = stored and cjson.decode(stored)
    local isWhole = waits and #waits.members > 0
    for _, member in ipairs(waits and waits.members or {}) do
      isWhole = isWhole and redis.call('ZSCORE', waits.index, member)
    end
    if not isWhole then found[#found + 1] = n end
  end
end
return found
