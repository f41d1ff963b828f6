-- Statistics are kept in buckets of time: one hash for each tenant, length and begin. A field is `<dimension>:<value>`, and its value a JSON
-- list with the numbers of libs/queue/src/stats/bucket-value.ts. The fields of one dimension add up to the whole; `t` counts an invocation
-- under each of its tools.
--   q queue, t tool, a agent, o outcome, e error type; in buckets of a day also x (tool, error type) and p (tool, parameter, kind)
--   <dimension>*: what came after the bound of the dimension, and #<dimension>: the number of its other fields
--
-- Few entries of a tenant are kept as text, in a key beside each bucket. A long text, or a read of the bucket, moves them to the fields. To change
-- the fields of four buckets for one entry costs ten times as much as to keep it as text.
--
-- An entry of the log is `<at> <first> <second> <what>`: a time (ms), two numbers or `-`, and JSON. The first number of an entry for accepted
-- invocations is how many they are; `-` is one, from an earlier version. Most entries of a second have the same JSON, which is therefore read once.
-- @include change-bucket.lua
local BUCKETS = { ${fold.buckets} }
local FINEST_MS = ${fold.finestSeconds} * 1000
local SPARE_SECONDS = 120
-- The highest number of entries of a tenant and 10 s that become text, and the highest length of a text.
local FEW_ENTRIES, FEW_BYTES = 8, 2000

-- addSums(key, sums, hasPairs, endsAt): adds sums of entries to a bucket, which exists until then (s).
local function addSums(key, sums, hasPairs, endsAt)
  addValues(key, sums.plain)
  if hasPairs then addValues(key, sums.pairs) end
  redis.call('EXPIREAT', key, endsAt)
end

-- foldText(key, hasPairs, endsAt): moves the text beside a bucket to the fields of the bucket. Its entries can be of several times of 10 s.
local function foldText(key, hasPairs, endsAt)
  local entries = {}
  for entry in string.gmatch(redis.call('GET', key .. ':few') or '', '[^\n]+') do entries[#entries + 1] = entry end
  redis.call('DEL', key .. ':few')
  if #entries > 0 then addSums(key, sumsOf(entries), hasPairs, endsAt) end
end

-- placeOf(bucket, at): the bucket of this length that has a time (ms): `suffix` of its key, and `endsAt`, when it is removed (s). Most entries of a
-- call are in the same buckets, and to write a number takes longer than to look it up.
local function placeOf(bucket, at)
  local begin = math.floor(at / 1000 / bucket.seconds) * bucket.seconds
  bucket.places = bucket.places or {}
  local place = bucket.places[begin]
  if not place then
    local endsAt = begin + bucket.seconds + bucket.keptSeconds + SPARE_SECONDS
    place = { suffix = string.format(':%d:%d', bucket.seconds, begin), endsAt = string.format('%d', endsAt) }
    bucket.places[begin] = place
  end
  return place
end

-- addToBucket(bucket, moment): adds the entries of a tenant and 10 s to its bucket of this length.
local function addToBucket(bucket, moment)
  local place = placeOf(bucket, moment.at)
  local key, text = '${prefix}:stats:' .. moment.tenant .. place.suffix, moment.text
  if text then
    local length = redis.call('APPEND', key .. ':few', text)
    if length == #text then redis.call('EXPIREAT', key .. ':few', place.endsAt)
    elseif length > FEW_BYTES then foldText(key, bucket.hasPairs, place.endsAt) end
  else
    moment.sums = moment.sums or sumsOf(moment.entries)
    addSums(key, moment.sums, bucket.hasPairs, place.endsAt)
  end
end

-- divideEntries(entries, most): divides entries by tenant and 10 s, up to `most` different ones. Returns the groups, and the number of entries in
-- them. A malformed entry counts, but is left out. The pattern finds the tenant only: JSON escapes the quotes inside other texts.
local function divideEntries(entries, most)
  local moments, different, count = {}, {}, 0
  for n, entry in ipairs(entries) do
    local at, json = string.match(entry, '^(%d+) %S+ %S+ (.*)$')
    local tenant = json and string.match(json, '"tenant":"([^"]+)"')
    if tenant then
      local slot = math.floor(at / FINEST_MS)
      local kind, name = slot .. json, slot .. ' ' .. tenant
      if not different[kind] then
        if count == most then return moments, n - 1 end
        different[kind], count = true, count + 1
      end
      local moment = moments[name] or { tenant = tenant, at = tonumber(at), entries = {} }
      moments[name] = moment
      moment.entries[#moment.entries + 1] = entry
    end
  end
  return moments, #entries
end

-- textOfFew(entries): few entries as a text, or nil.
local function textOfFew(entries)
  local text = #entries <= FEW_ENTRIES and table.concat(entries, '\n') .. '\n'
  return text and #text <= FEW_BYTES and text or nil
end

-- foldStats(log, mostEntries, mostDifferent): moves entries of the log to their buckets, in order, up to these numbers. Returns the number of those
-- that are left.
local function foldStats(log, mostEntries, mostDifferent)
  local moments, count = divideEntries(redis.call('LRANGE', log, 0, mostEntries - 1), mostDifferent)
  for _, moment in pairs(moments) do
    moment.text = textOfFew(moment.entries)
    for _, bucket in ipairs(BUCKETS) do addToBucket(bucket, moment) end
  end
  redis.call('LTRIM', log, count, -1)
  return redis.call('LLEN', log)
end
