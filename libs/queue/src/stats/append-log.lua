-- Adds entries to the log of statistics once. A writer whose command got no answer sends it again.
--
-- KEYS: 1 the log, 2 the number of the last command of this writer
-- ARGV: 1 the number of this command, 2 for how long that is kept in seconds; then the entries
-- Result: the length of the log
local log, last = KEYS[1], KEYS[2]
if redis.call('GET', last) == ARGV[1] then return redis.call('LLEN', log) end
redis.call('SET', last, ARGV[1], 'EX', ARGV[2])
local length = redis.call('RPUSH', log, unpack(ARGV, 3))
redis.call('EXPIRE', log, ${fold.logSeconds})
return length
