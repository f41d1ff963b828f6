-- Reads how fast a queue works, from the jobs that ended last. Nothing is stored for it.
--
-- KEYS: 1 prefix of the queue's keys
-- ARGV: 1 now (ms), 2 the tenant whose jobs count, or '' for all
-- Result: 1 how many jobs ended in the last minute; of a tenant, among the last 1,000 jobs of each outcome;
--   2 for how long each of its last jobs waited for its first start (ms): up to 64 of each outcome
-- @include lanes.lua
local MINUTE, SAMPLED, LOOKED = 60000, 64, 1000
local prefix, now, tenant = KEYS[1], tonumber(ARGV[1]), ARGV[2]

local function isOfTenant(job)
  if tenant == '' then return true end
  local _, owner = partsOfLane(laneOf(job))
  return owner == tenant
end

-- waitOf(job): nil for a job whose first start is not known.
local function waitOf(job)
  local since, started, begun, starts, options = unpack(redis.call('HMGET', job, 'timestamp', 'processedOn', '${field.begunAt}',
    '${field.starts}', 'opts'))
  local first = begun or (starts == '1' and started)
  if not first or not since then return nil end
  local delay = string.match(options or '', '"delay":(%d+)')
  return math.max(0, tonumber(first) - tonumber(since) - (tonumber(delay) or 0))
end

local ended, waits = 0, {}
for _, outcome in ipairs({ 'completed', 'failed' }) do
  local set, sampled = prefix .. outcome, 0
  if tenant == '' then ended = ended + redis.call('ZCOUNT', set, now - MINUTE, '+inf') end
  local last = redis.call('ZREVRANGE', set, 0, (tenant == '' and SAMPLED or LOOKED) - 1, 'WITHSCORES')
  for n = 1, #last, 2 do
    local job = prefix .. last[n]
    if isOfTenant(job) then
      if tenant ~= '' and tonumber(last[n + 1]) >= now - MINUTE then ended = ended + 1 end
      local wait = sampled < SAMPLED and waitOf(job)
      if wait then
        sampled = sampled + 1
        waits[#waits + 1] = wait
      end
    end
  end
end
return { ended, waits }
