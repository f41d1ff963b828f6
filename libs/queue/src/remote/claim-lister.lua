-- Makes a worker the one that lists the tools of a server, or renews that.
-- KEYS[1] the key of the lister
-- ARGV[1] the name of the worker
-- ARGV[2] the time after which the claim expires, in ms
-- Result: 1 if the worker has the claim now, else 0. Effect: KEYS[1] is set and expires.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
