-- Resumes some of the waiters that other scripts have left, 500 at most. A set that still has waiters goes behind the other sets, so that a
-- large one does not hold up the small ones. The key `waiters-turn` keeps all processes together to one part in ${turnMs} ms.
--
-- KEYS: 1 delayed set and 2 marker of the waiters' queue
-- ARGV: 1 now (ms), 2 prefix of the waiters' jobs
-- Result: 1 if this run has resumed waiters and more are left; else 0
-- @include wake-some-waiters.lua
local LEFT = '${prefix}:waiters-left'
if redis.call('EXISTS', LEFT) == 0 then return 0 end
if not redis.call('SET', '${prefix}:waiters-turn', 1, 'PX', ${turnMs}, 'NX') then return 0 end
while wakesAllowed > 0 do
  local rest = redis.call('RPOP', LEFT)
  if not rest then return 0 end
  if wakeSome(rest, KEYS[1], KEYS[2], tonumber(ARGV[1]), ARGV[2]) then redis.call('LPUSH', LEFT, rest) end
end
return redis.call('EXISTS', LEFT)
