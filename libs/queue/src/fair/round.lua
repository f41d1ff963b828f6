-- A round is several turns of a ring, in memory. It reads and writes the ring once, however many turns it has.
--
-- Example: the tenants A and B have weight 1. A turn therefore adds 1 to the virtual time of the served tenant. Both joined an empty ring, at the
-- time 0. The tenant with the lowest time is served next. Equal times go by name.
--
--   turn   served   clock   A is next at   B is next at
--   1      A        0       1              0
--   2      B        0       1              1
--   3      A        1       2              1
--   4      B        1       2              2
--
-- - A tenant C that has its first job now joins at the clock, 1. It is served next, and gets no credit for the time without work.
-- - If B has no job left after turn 4, its time 2 is kept in `ahead`. Until the ring is empty, B joins again at 2 at the earliest.
-- - A tenant of weight 2 adds 1/2 for each turn, and is served twice as often.
-- @include ring.lua

-- openRound(base, name, most): a round of up to `most` turns. It reads one member more than can be served, so that it knows a member that is
-- alone. `members` are in the order in which they are served next.
local function openRound(base, name, most)
  local found, members = redis.call('ZRANGE', base .. 'ring:' .. name, 0, most, 'WITHSCORES'), {}
  for n = 1, #found, 2 do members[#members + 1] = { name = found[n], time = tonumber(found[n + 1]) } end
  return { base = base, name = name, members = members, clock = 0, moved = {}, left = {} }
end

local function isAloneIn(round) return #round.members == 1 end

-- Moves a member to a time, behind all that are served before it.
local function moveTo(round, member, time)
  local members, at = round.members, #round.members + 1
  while at > 1 and (members[at - 1].time > time or (members[at - 1].time == time and members[at - 1].name > member.name)) do at = at - 1 end
  member.time = time
  table.insert(members, at, member)
  round.moved[member.name] = time
end

-- passTurn(round, at, step, stays, turns): the member at this place was served in so many turns, one after the other. The clock moves to the time of
-- the last one, and the member behind it. `stays` is false if it has no more jobs. Those before it were passed over, and get no credit for it.
local function passTurn(round, at, step, stays, turns)
  local served = table.remove(round.members, at)
  round.clock = served.time + (turns - 1) * step
  for n = at - 1, 1, -1 do moveTo(round, table.remove(round.members, n), round.clock) end
  if stays then return moveTo(round, served, round.clock + step) end
  round.moved[served.name] = nil
  round.left[#round.left + 1] = { name = served.name, time = round.clock + step }
end

-- passAlone(round): the only member was served, and stays. It pays nothing.
local function passAlone(round) round.clock = round.members[1].time end

-- closeRound(round): stores the turns. Returns whether the ring is empty now.
local function closeRound(round)
  local base, name, clock = round.base, round.name, round.clock
  local ring, ahead = base .. 'ring:' .. name, base .. 'ahead:' .. name
  if #round.members == 0 then
    forgetRings(base, { name })
    return true
  end
  if clock > 0 then redis.call('SET', base .. 'clock:' .. name, clock) end
  local scored = {}
  for member, time in pairs(round.moved) do
    scored[#scored + 1] = time
    scored[#scored + 1] = member
  end
  if #scored > 0 then redis.call('ZADD', ring, unpack(scored)) end
  if #round.left > 0 then
    local names, times = {}, {}
    for n, member in ipairs(round.left) do names[n], times[2 * n - 1], times[2 * n] = member.name, member.time, member.name end
    redis.call('ZREM', ring, unpack(names))
    redis.call('ZADD', ahead, unpack(times))
    redis.call('ZREMRANGEBYSCORE', ahead, '-inf', clock)
  end
  return false
end
