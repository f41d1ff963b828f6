-- Counts the invocations of a batch by status, as `toInvocation` decides it. A batch has at most 1,000 items. While an invocation of it is
-- open, each read extends its life.
--
-- KEYS: 1 batch
-- ARGV: 1 seconds to keep an open batch, 2 and on: prefixes of the jobs of each queue in which an invocation may be
-- Result: the tenant, the counts (JSON), the ids of the invocations that have not ended; nil if no such batch exists
local fields = redis.call('HGETALL', KEYS[1])
if #fields == 0 then return false end
local function statusOf(job)
  local added, finished, cancelled, suspended, started, begun = unpack(redis.call('HMGET', job, 'timestamp', 'finishedOn',
    '${field.cancelRequestedAt}', '${field.suspended}', 'processedOn', '${field.begunAt}'))
  if not added then return nil end
  if finished then
    if cancelled then return 'cancelled' end
    if redis.call('HEXISTS', job, 'returnvalue') == 1 then return 'succeeded' end
    return string.find(redis.call('HGET', job, 'failedReason') or '', '^{"type":"CancelledError"') and 'cancelled' or 'failed'
  end
  if (started or begun) and redis.call('EXISTS', job .. ':lock') == 1 then return 'running' end
  if suspended == 'answer' then return 'waiting_external' end
  return suspended == 'time' and 'running' or 'queued'
end
local counts = { queued = 0, running = 0, waiting_external = 0, succeeded = 0, failed = 0, cancelled = 0, removed = 0 }
local names = { tenant = true, refused = true, noAction = true, others = true, succeeded = true, failed = true, cancelled = true }
local batch, open = {}, {}
local function count(id)
  local status
  for n = 2, #ARGV do status = status or statusOf(ARGV[n] .. id) end
  status = status or 'removed'
  counts[status] = counts[status] + 1
  if status == 'queued' or status == 'running' or status == 'waiting_external' then open[#open + 1] = id end
end
for n = 1, #fields, 2 do
  if names[fields[n]] then batch[fields[n]] = fields[n + 1] else count(fields[n]) end
end
for id in string.gmatch(batch.others, '%S+') do count(id) end
-- Invocations that retention has removed are counted by their last status.
for _, status in ipairs({ 'succeeded', 'failed', 'cancelled' }) do counts[status] = counts[status] + tonumber(batch[status]) end
counts.refused, counts.no_action = tonumber(batch.refused), tonumber(batch.noAction)
if #open > 0 and redis.call('TTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return { batch.tenant, cjson.encode(counts), open }
