-- Statistics are kept in buckets of time: one hash for each tenant, length and begin. A field is `<dimension>:<value>`, and its value a JSON
-- list with the numbers of libs/queue/src/stats/bucket-value.ts. The fields of one dimension add up to the whole; `t` counts an invocation
-- under each of its tools.
--   q queue, t tool, a agent, o outcome, e error type; in buckets of a day also x (tool, error type) and p (tool, parameter, kind)
--   <dimension>*: what came after the bound of the dimension, and #<dimension>: the number of its other fields
--
-- Few entries of a tenant are kept as text, in one key for each day. A long text, or a read of a bucket of that day, moves them to the buckets. To
-- change the fields of four buckets takes 12 to 16 commands, and to add to a text takes one.
--
-- An entry of the log is `<at> <first> <second> <what>`: a time (ms), two numbers or `-`, and JSON. The first number of an entry for accepted
-- invocations is how many they are; `-` is one, from an earlier version. Most entries of a second have the same JSON, which is therefore read once.
-- @include change-bucket.lua
local BUCKETS = { ${fold.buckets} }
local FINEST_MS = ${fold.finestSeconds} * 1000
local SPARE_SECONDS = 120
-- The highest number of entries of a tenant and 10 s that become text, the length from which a text is moved to the buckets, and the highest number of
-- texts that one call moves. A long text that is left is moved when the next entry is added to it.
local FEW_ENTRIES, FEW_BYTES, TEXTS_AT_ONCE = 8, 4000, 10

-- placeOf(bucket, at): the bucket of this length that has a time (ms): `begin` and `suffix` of its key, and `endsAt`, when it is removed (s), as
-- texts. Most entries of a call are in the same buckets, and to write a number takes longer than to look it up.
local function placeOf(bucket, at)
  local begin = math.floor(at / 1000 / bucket.seconds) * bucket.seconds
  bucket.places = bucket.places or {}
  local place = bucket.places[begin]
  if not place then
    local endsAt = begin + bucket.seconds + bucket.keptSeconds + SPARE_SECONDS
    place = { begin = string.format('%d', begin), endsAt = string.format('%d', endsAt) }
    place.suffix = ':' .. bucket.seconds .. ':' .. place.begin
    bucket.places[begin] = place
  end
  return place
end

-- addMoments(moments): adds the entries of a tenant to its buckets of each length. Buckets that are past their time are left out.
local function addMoments(moments)
  local now = tonumber(redis.call('TIME')[1])
  for _, moment in ipairs(moments) do moment.sums = sumsOf(moment.entries) end
  for _, bucket in ipairs(BUCKETS) do
    local byPlace = {}
    for _, moment in ipairs(moments) do
      local place = placeOf(bucket, moment.at)
      byPlace[place] = byPlace[place] or {}
      table.insert(byPlace[place], moment.sums)
    end
    for place, some in pairs(byPlace) do
      if tonumber(place.endsAt) > now then
        local key, sums = '${prefix}:stats:' .. moments[1].tenant .. place.suffix, mergedSums(some)
        addValues(key, sums.plain)
        if bucket.hasPairs then addValues(key, sums.pairs) end
        redis.call('EXPIREAT', key, place.endsAt)
      end
    end
  end
end

-- newDivision(most): an empty division of entries by tenant and 10 s. It takes up to `most` different entries. `moments` are its groups. `count` is the
-- number of its entries. `isFull`: it has `most` different entries and has refused another one.
local function newDivision(most) return { most = most, different = 0, moments = {}, byName = {}, slots = {}, count = 0, isFull = false } end

-- momentOf(division, at, tenant): the group of a tenant and of the 10 s that have this time (the text of a time in ms). A new group is in `moments` once it
-- has an entry.
local function momentOf(division, at, tenant)
  local slots, byName = division.slots, division.byName
  slots[at] = slots[at] or math.floor(at / FINEST_MS)
  local name = slots[at] .. ' ' .. tenant
  byName[name] = byName[name] or { tenant = tenant, at = tonumber(at), entries = {}, known = {} }
  return byName[name]
end

-- divideEntries(division, entries): adds entries to a division until it is full. A malformed entry counts, but is in no group. The pattern finds the tenant
-- only: JSON escapes the quotes inside other texts.
local function divideEntries(division, entries)
  for _, entry in ipairs(entries) do
    local at, from, tenant = string.match(entry, '^(%d+) %S+ %S+ ().-"tenant":"([^"]+)"')
    if tenant then
      local moment, json = momentOf(division, at, tenant), string.sub(entry, from)
      if not moment.known[json] then
        if division.different == division.most then
          division.isFull = true
          return
        end
        moment.known[json], division.different = true, division.different + 1
      end
      if #moment.entries == 0 then division.moments[#division.moments + 1] = moment end
      moment.entries[#moment.entries + 1] = entry
    end
    division.count = division.count + 1
  end
end

-- textOfFew(entries): few entries as a text, or nil.
local function textOfFew(entries)
  local text = #entries <= FEW_ENTRIES and table.concat(entries, '\n') .. '\n'
  return text and #text <= FEW_BYTES and text or nil
end

-- foldText(key): moves the text of a tenant and a day to the buckets.
local function foldText(key)
  local entries = {}
  for entry in string.gmatch(redis.call('GET', key) or '', '[^\n]+') do entries[#entries + 1] = entry end
  local division = newDivision(#entries)
  divideEntries(division, entries)
  redis.call('DEL', key)
  if #division.moments > 0 then addMoments(division.moments) end
end

-- keepText(moment, text): adds to the text of a tenant and a day. Returns its key if the text is long.
local function keepText(moment, text)
  local place = placeOf(BUCKETS[#BUCKETS], moment.at)
  local key = '${prefix}:stats-text:' .. moment.tenant .. ':' .. place.begin
  local length = redis.call('APPEND', key, text)
  if length == #text then redis.call('EXPIREAT', key, place.endsAt) end
  return length > FEW_BYTES and key or nil
end

-- firstEntries(log, mostEntries, mostDifferent): the division of the first entries of the log. It reads `mostDifferent` entries at a time: if all are
-- different, the division takes no more.
local function firstEntries(log, mostEntries, mostDifferent)
  local division, read = newDivision(mostDifferent), 0
  repeat
    local page = redis.call('LRANGE', log, read, math.min(mostEntries, read + mostDifferent) - 1)
    divideEntries(division, page)
    read = read + #page
  until #page < mostDifferent or division.isFull or read >= mostEntries
  return division
end

-- foldStats(log, mostEntries, mostDifferent): moves entries of the log to their buckets, in order, up to these numbers. Returns the number of those
-- that are left.
local function foldStats(log, mostEntries, mostDifferent)
  local division, folded = firstEntries(log, mostEntries, mostDifferent), 0
  for _, moment in ipairs(division.moments) do
    local text = textOfFew(moment.entries)
    if text then
      local long = keepText(moment, text)
      if long and folded < TEXTS_AT_ONCE then
        foldText(long)
        folded = folded + 1
      end
    else addMoments({ moment }) end
  end
  redis.call('LTRIM', log, division.count, -1)
  return redis.call('LLEN', log)
end
