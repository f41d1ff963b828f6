-- A lane is the waiting jobs of one tenant and key (agent, or `options.fairnessKey`), as a sorted set. Its name is `level:tenant:key`. The
-- level is 0; if priorities hold across tenants, it is the priority of the jobs. A job has a field for its lane, unless it has no options
-- (plain-options.ts) and is of the tenant `default` without a key: such a field takes 60 bytes.
local DEFAULT_LANE = '0:default:'
local DELIVERIES = '${prefix}:${deliveries}:'

local function partsOfLane(lane) return string.match(lane, '^(%d+):([^:]*):(.*)$') end

-- tenantInData(data): the tenant of a job that an older version has stored.
local function tenantInData(data)
  local tenant = string.match(data or '', '^{"tenant":"([%w_-]+)"')
  if tenant then return tenant end
  local isJson, record = pcall(cjson.decode, data or '')
  return isJson and type(record) == 'table' and type(record.tenant) == 'string' and record.tenant or 'default'
end

-- laneOf(job): the lane of a stored job. It reads the data, which may be long, only of a job that an older version has stored, and of a delivery.
local function laneOf(job)
  local lane, options = unpack(redis.call('HMGET', job, '${field.lane}', 'opts'))
  if lane then return lane end
  if not options and string.sub(job, 1, #DELIVERIES) ~= DELIVERIES then return DEFAULT_LANE end
  return '0:' .. tenantInData(redis.call('HGET', job, 'data')) .. ':'
end

-- keepLane(job): the lane of a stored job. A job of an older version gets its field.
local function keepLane(job)
  local lane = laneOf(job)
  if lane ~= DEFAULT_LANE then redis.call('HSET', job, '${field.lane}', lane) end
  return lane
end

-- The weights that this run of the script has read.
local weights = {}

-- readWeights(tenants): reads the weights of several tenants by one command, unless they are known.
local function readWeights(tenants)
  local unknown = {}
  for _, tenant in ipairs(tenants) do
    if not weights[tenant] then
      unknown[#unknown + 1] = tenant
      weights[tenant] = 1
    end
  end
  if #unknown == 0 then return end
  for n, weight in ipairs(redis.call('HMGET', '${tenantWeights}', unpack(unknown))) do weights[unknown[n]] = tonumber(weight) or 1 end
end

local function weightOf(tenant)
  readWeights({ tenant })
  return weights[tenant]
end
