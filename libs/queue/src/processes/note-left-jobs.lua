-- noteLeftJobs(jobs, ids): notes jobs that were put back, for the process that had them: the last 200 of each, for an hour. `jobs` is the prefix of
-- the queue's keys.
local function noteLeftJobs(jobs, ids)
  for _, id in ipairs(ids) do
    local process, started = unpack(redis.call('HMGET', jobs .. id, '${field.process}', 'processedOn'))
    if process then
      local left = '${prefix}:process-left:' .. process
      redis.call('RPUSH', left, (started or '0') .. ' ' .. jobs .. id)
      redis.call('LTRIM', left, -200, -1)
      redis.call('PEXPIRE', left, 3600000)
    end
  end
end
