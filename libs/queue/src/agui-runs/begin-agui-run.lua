-- Records a run of AG-UI once, with the open waits of its turn, and the ids of the client that it took.
--
-- KEYS: 1 run, 2 runs of the turn, 3 and on: ids of the client
-- ARGV: 1 seconds to keep, 2 digest of the input, 3 id of the turn, 4 number of the last event before the run,
--   5 the open waits that it answers (JSON list, or ''), 6 digest of the run
-- Result: digest of the input, id of the turn and number of the event of the recorded run
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'input', ARGV[2], 'turn', ARGV[3], 'after', ARGV[4])
  if ARGV[5] ~= '' then
    redis.call('HSETNX', KEYS[2], ARGV[4], ARGV[5])
    redis.call('EXPIRE', KEYS[2], ARGV[1])
  end
  for n = 3, #KEYS do redis.call('SET', KEYS[n], ARGV[6], 'EX', ARGV[1], 'NX') end
  redis.call('EXPIRE', KEYS[1], ARGV[1])
end
return redis.call('HMGET', KEYS[1], 'input', 'turn', 'after')
