-- A plan has the lanes whose jobs start next, in order: one for each job. The jobs leave their lanes when it is carried out, so that each lane is
-- read and written once.
-- @include lanes.lua
-- @include round.lua

-- laneIn(keys, key): a lane of a tenant in a plan. `left` counts its waiting jobs that are not planned, `planned` the others.
local function laneIn(keys, key)
  local lane = keys.lanes[key]
  if not lane then
    local jobs = keys.base .. 'lane:' .. keys.name .. ':' .. key
    lane = { jobs = jobs, left = redis.call('ZCARD', jobs), planned = 0 }
    keys.lanes[key] = lane
  end
  return lane
end

-- openTenant(base, level, tenant, most): the round of the keys of a tenant.
local function openTenant(base, level, tenant, most)
  local keys = openRound(base, level .. ':' .. tenant, most)
  keys.lanes, keys.planned = {}, 0
  return keys
end

-- planJobs(lanes, keys, most): plans the next job of a tenant. If only one lane of it has jobs, these are up to `most`. Returns their number. A key
-- that is alone pays nothing: nearly every tenant has one key.
local function planJobs(lanes, keys, most)
  -- A tenant without lanes (keys changed by hand) uses one turn, so that the loop of planLevel ends and the tenant leaves the ring.
  if not keys.members[1] then return 1 end
  local lane = laneIn(keys, keys.members[1].name)
  local count = math.min(lane.left, isAloneIn(keys) and most or 1)
  for _ = 1, count do lanes[#lanes + 1] = lane end
  lane.left, lane.planned, keys.planned = lane.left - count, lane.planned + count, keys.planned + count
  if isAloneIn(keys) and lane.left > 0 then passAlone(keys) else passTurn(keys, 1, 1, lane.left > 0, 1) end
  return count
end

-- nextTenant(round, share): the place of the tenant that is served next, or nil. Tenants at their share of the slots are passed over.
local function nextTenant(round, share)
  for at, tenant in ipairs(round.members) do
    if not share or not share.isReached(tenant.name, not isAloneIn(round)) then return at end
  end
end

-- readWeightsIn(round): reads the weights of the tenants that may be served.
local function readWeightsIn(round)
  local names = {}
  for n, tenant in ipairs(round.members) do names[n] = tenant.name end
  readWeights(names)
end

-- planLevel(base, level, most, share): plans up to `most` jobs of a level, and stores its rings as they are then.
-- Returns the lane of each job, and how many jobs each tenant has among them.
local function planLevel(base, level, most, share)
  local round, tenants, lanes, counts = openRound(base, level, most + (share and share.most or 0)), {}, {}, {}
  readWeightsIn(round)
  while #lanes < most do
    local at = nextTenant(round, share)
    if not at then break end
    local tenant, isAlone = round.members[at].name, isAloneIn(round)
    local keys = tenants[tenant] or openTenant(base, level, tenant, most)
    tenants[tenant] = keys
    local turns = planJobs(lanes, keys, isAlone and not share and most - #lanes or 1)
    if share then share.count(tenant) end
    passTurn(round, at, 1 / weightOf(tenant), keys.members[1] ~= nil, turns)
  end
  local empty = {}
  for tenant, keys in pairs(tenants) do
    if keys.members[1] then closeRound(keys) else empty[#empty + 1] = keys.name end
    counts[tenant] = keys.planned
  end
  forgetRings(base, empty)
  if closeRound(round) then redis.call('ZREM', base .. 'levels', level) end
  return lanes, counts
end

-- popJobs(lanes): takes the planned jobs out of their lanes. Returns their ids, in order.
local function popJobs(lanes)
  local ids = {}
  for n, lane in ipairs(lanes) do
    lane.ids = lane.ids or redis.call('ZPOPMIN', lane.jobs, lane.planned)
    lane.at = (lane.at or -1) + 2
    ids[n] = lane.ids[lane.at]
  end
  return ids
end
