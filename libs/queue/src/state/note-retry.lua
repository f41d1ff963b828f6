-- Names a retry in the job of the invocation that it retries. A job that is gone stays gone.
--
-- KEYS: the jobs that the invocation can be: one for each queue
-- ARGV: 1 id of the retry, 2 how many ids are kept: the last ones
-- Result: none
local retry, most = ARGV[1], tonumber(ARGV[2])
for _, job in ipairs(KEYS) do
  if redis.call('EXISTS', job) == 1 then
    local ids = {}
    for id in string.gmatch(redis.call('HGET', job, '${field.retries}') or '', '%S+') do
      -- The same request came twice.
      if id == retry then return end
      ids[#ids + 1] = id
    end
    ids[#ids + 1] = retry
    redis.call('HSET', job, '${field.retries}', table.concat(ids, ' ', math.max(1, #ids - most + 1)))
  end
end
