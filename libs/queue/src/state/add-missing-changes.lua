-- Adds invocations of a status set to the order of changes that are not in it, because an earlier version of Errand accepted them. An ended
-- one gets the time of its end, any other a new number. An entry whose job was removed by hand is removed.
--
-- KEYS: 1 status set, 2 order of changes, 3 clock of changes
-- ARGV: 1 begin ('-' or '(member'), 2 number of members to look at, then prefixes of job keys, one for each queue
-- Result: the last member that was looked at; nil at the end of the set
-- @include record-change.lua
local members = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], '+', 'LIMIT', 0, ARGV[2])
for _, member in ipairs(members) do
  if not redis.call('ZSCORE', KEYS[2], member) then
    local change
    for n = 3, #ARGV do
      local accepted, ended = unpack(redis.call('HMGET', ARGV[n] .. 'inv_' .. member, 'timestamp', 'finishedOn'))
      if accepted then change = ended and ended * 1000 or nextChange(KEYS[3]) end
    end
    if change then redis.call('ZADD', KEYS[2], change, member)
    else redis.call('ZREM', KEYS[1], member) end
  end
end
return members[#members] or false
