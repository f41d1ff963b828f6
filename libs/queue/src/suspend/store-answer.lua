-- Stores an answer if it is the first one, and makes a suspended job due. An early answer is kept until the job has begun, and longer. A
-- turn whose calls wait for the answer is resumed, so that it does not wait for the answer any more. The wait leaves the index of waits.
--
-- KEYS: 1 job (hash), 2 answers of the invocation (hash)
--   3 delayed and 4 marker of the job's queue (sorted sets), 5 notification channel
--   6 order of changes of the tenant (sorted set), 7 clock of changes (number)
--   8 waiters of the job (set of ids), 9 delayed set and 10 marker of the waiters' queue
-- ARGV: 1 id of the job, 2 field of the answer in the hash of answers, 3 answer (JSON), 4 seconds to keep the answers after the job is due
--   5 now (ms), 6 text of the notification, 7 member of the order of changes, 8 prefix of the waiters' jobs
-- Result: the stored answer; nil if the invocation has ended without one
-- @include resume-waiters.lua
-- @include wait-index.lua
local given = redis.call('HGET', KEYS[2], ARGV[2])
if given then return given end
if not isOpen(KEYS[1]) then return false end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
local score = redis.call('ZSCORE', KEYS[3], ARGV[1])
local ahead = math.max(0, math.ceil((timeOfScore(score or 0) - ARGV[5]) / 1000))
if redis.call('TTL', KEYS[2]) < 0 then redis.call('EXPIRE', KEYS[2], ahead + ARGV[4]) end
redis.call('HSET', KEYS[1], '${field.answered}', 1)
removeWait(KEYS[1], ARGV[2])
if redis.call('HEXISTS', KEYS[1], '${field.suspended}') == 1 and score then
  redis.call('HSET', KEYS[1], '${field.suspended}', 'woken')
  makeDue(ARGV[1], ARGV[5], KEYS[3], KEYS[4])
  recordChange(KEYS[6], KEYS[7], ARGV[7])
  resumeWaiters(KEYS[8], KEYS[9], KEYS[10], tonumber(ARGV[5]), ARGV[8])
end
redis.call('PUBLISH', KEYS[5], ARGV[6])
return ARGV[3]
