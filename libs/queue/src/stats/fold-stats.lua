-- Statistics are kept in buckets of time: one hash for each tenant, length and begin. A field is `<dimension>:<value>`, and its value a JSON
-- list with the numbers of libs/queue/src/stats/bucket-value.ts. The fields of one dimension add up to the whole; `t` counts an invocation
-- under each of its tools.
--   q queue, t tool, a agent, o outcome, e error type; in buckets of a day also x (tool, error type) and p (tool, parameter, kind)
--   <dimension>*: what came after the bound of the dimension, and #<dimension>: the number of its other fields
--
-- An entry of the log is `<at> <first> <second> <what>`: a time (ms), two numbers or `-`, and JSON. Most entries of a second have the same
-- JSON, which is therefore read once.
local BUCKETS = { ${fold.buckets} }
local FINEST_MS = ${fold.finestSeconds} * 1000
local SPARE_SECONDS = 120
-- The highest number of fields of each dimension, and of characters of a value.
local MOST_FIELDS = { q = 50, t = 200, a = 200, o = 5, e = 100, x = 500, p = 500 }
local LONGEST_VALUE = 256
-- Of one command; an even number. `unpack` fails above 7,999 values.
local MOST_ARGUMENTS = 1000
-- A bin of a histogram covers durations up to BIN_GROWTH times its beginning, here as a logarithm.
local BIN_GROWTH, LAST_BIN = math.log(${fold.binGrowth}), 130
-- The places in a value.
local ACCEPTED, ENDED, FAILED, REFUSED, DEPTH, OLDEST, LAST_AT, WAITS, RUNS = 1, 2, 3, 4, 5, 6, 7, 8, 9

local function emptyValue() return { 0, 0, 0, 0, 0, 0, 0, {}, {} } end

-- countDuration(bins, ms): adds a duration to a histogram; '-' is none.
local function countDuration(bins, ms)
  if ms == '-' then return end
  local duration = tonumber(ms)
  local bin = duration < 1 and '0' or tostring(math.min(LAST_BIN, 1 + math.floor(math.log(duration) / BIN_GROWTH)))
  bins[bin] = (bins[bin] or 0) + 1
end

-- addValue(sum, value): adds a value to a sum, in place. Depths and times are the highest ones.
local function addValue(sum, value)
  for place = ACCEPTED, REFUSED do sum[place] = sum[place] + value[place] end
  for place = DEPTH, LAST_AT do sum[place] = math.max(sum[place], value[place]) end
  for place = WAITS, RUNS do
    for bin, count in pairs(value[place]) do sum[place][bin] = (sum[place][bin] or 0) + count end
  end
end

-- The value that entries of a kind add to: addEntry[kind](value, first, second, what).
local addEntry = {
  accepted = function(value) value[ACCEPTED] = value[ACCEPTED] + 1 end,
  ended = function(value, waitedMs, ranMs, what)
    value[ENDED] = value[ENDED] + 1
    if what.outcome == 'failed' then value[FAILED] = value[FAILED] + 1 end
    countDuration(value[WAITS], waitedMs)
    countDuration(value[RUNS], ranMs)
  end,
  refused = function(value, count) value[REFUSED] = value[REFUSED] + count end,
  depth = function(value, depth, oldestMs)
    value[DEPTH], value[OLDEST] = math.max(value[DEPTH], depth), math.max(value[OLDEST], oldestMs)
  end,
}

-- groupEntries(entries, most): the entries with the same JSON and the same 10 s as one group, with `what`, `at` (ms) and `value`, up to `most`
-- groups. Also returns the number of entries before the first one of a group too many. A malformed entry is left out.
local function groupEntries(entries, most)
  local groups, count = {}, 0
  for n, text in ipairs(entries) do
    local at, first, second, json = string.match(text, '^(%d+) (%S+) (%S+) (.*)$')
    at = tonumber(at) or 0
    local name = math.floor(at / FINEST_MS) .. (json or '')
    local group = groups[name]
    if not group then
      if count == most then return groups, n - 1 end
      local isJson, what = pcall(cjson.decode, json or '')
      group = { what = isJson and type(what) == 'table' and what or {}, at = at, value = emptyValue() }
      groups[name], count = group, count + 1
    end
    group.value[LAST_AT] = math.max(group.value[LAST_AT], at)
    local add = type(group.what.tenant) == 'string' and addEntry[group.what.kind]
    if add then add(group.value, first, second, group.what) else groups[name] = nil end
  end
  return groups, #entries
end

-- fieldsOf(what): the fields that a group changes in each bucket, and those that it changes in buckets with pairs.
local function fieldsOf(what)
  if what.kind == 'depth' then return { 'q:' .. what.queue }, {} end
  local fields = { 'q:' .. (what.queue or ''), 'a:' .. (what.agent or ''), 'o:' .. (what.outcome or ''), 'e:' .. (what.errorType or '') }
  local pairsOfTools, tools = {}, what.tools or {}
  if #tools == 0 then fields[#fields + 1] = 't:' end
  for _, tool in ipairs(tools) do
    fields[#fields + 1] = 't:' .. tool
    if what.errorType and what.kind == 'ended' then pairsOfTools[#pairsOfTools + 1] = 'x:' .. tool .. '\t' .. what.errorType end
  end
  for _, parameter in ipairs(what.parameters or {}) do pairsOfTools[#pairsOfTools + 1] = 'p:' .. parameter end
  return fields, pairsOfTools
end

local function emptySums() return { values = {}, own = {} } end

-- addShared(sums, field, value): adds a value to a field of a sum. A field with one value has that table itself, and not a copy: most fields of
-- a fold have one, and its JSON is made once. `sums.own` names the fields with a table of their own.
local function addShared(sums, field, value)
  local sum = sums.values[field]
  if not sum then
    sums.values[field] = value
    return
  end
  if not sums.own[field] then
    sums.own[field], sums.values[field] = true, emptyValue()
    addValue(sums.values[field], sum)
  end
  addValue(sums.values[field], value)
end

local function addToFields(sums, fields, value)
  for _, field in ipairs(fields) do
    addShared(sums, #field > LONGEST_VALUE + 2 and string.sub(field, 1, 1) .. '*' or field, value)
  end
end

-- storedFields(key, values): the stored texts of these fields, of the rests of their dimensions and of the numbers of their fields, by name.
local function storedFields(key, values)
  local names, stored, dimensions = {}, {}, {}
  for field in pairs(values) do
    names[#names + 1] = field
    dimensions[string.sub(field, 1, 1)] = true
  end
  for dimension in pairs(dimensions) do
    if not values[dimension .. '*'] then names[#names + 1] = dimension .. '*' end
    names[#names + 1] = '#' .. dimension
  end
  for first = 1, #names, MOST_ARGUMENTS do
    local last = math.min(#names, first + MOST_ARGUMENTS - 1)
    for n, text in ipairs(redis.call('HMGET', key, unpack(names, first, last))) do stored[names[first + n - 1]] = text end
  end
  return stored
end

-- placesOf(stored, values): the values by the field in which they are stored, and the changed numbers of fields. What is new in a dimension that
-- is full counts as its rest.
local function placesOf(stored, values)
  local sums, numbers = emptySums(), {}
  for field, value in pairs(values) do
    local dimension = string.sub(field, 1, 1)
    local number = '#' .. dimension
    if not stored[field] and string.sub(field, 2, 2) == ':' then
      local count = tonumber(numbers[number] or stored[number]) or 0
      if count >= MOST_FIELDS[dimension] then field = dimension .. '*' else numbers[number] = count + 1 end
    end
    addShared(sums, field, value)
  end
  return sums.values, numbers
end

-- textsOf(stored, values): the names and the texts of what a bucket has after values were added to what is stored.
local function textsOf(stored, values)
  local sums, numbers = placesOf(stored, values)
  local texts, encoded = {}, {}
  for number, count in pairs(numbers) do
    texts[#texts + 1] = number
    texts[#texts + 1] = count
  end
  for field, value in pairs(sums) do
    texts[#texts + 1] = field
    if stored[field] then
      local sum = cjson.decode(stored[field])
      addValue(sum, value)
      texts[#texts + 1] = cjson.encode(sum)
    else
      encoded[value] = encoded[value] or cjson.encode(value)
      texts[#texts + 1] = encoded[value]
    end
  end
  return texts
end

-- addToBucket(key, sums): adds the values of sums to a bucket. All new buckets get the same texts.
local function addToBucket(key, sums)
  local isNew = redis.call('EXISTS', key) == 0
  if isNew then sums.texts = sums.texts or textsOf({}, sums.values) end
  local texts = isNew and sums.texts or textsOf(storedFields(key, sums.values), sums.values)
  for first = 1, #texts, MOST_ARGUMENTS do
    redis.call('HSET', key, unpack(texts, first, math.min(#texts, first + MOST_ARGUMENTS - 1)))
  end
end

-- momentsOf(groups): the sums of each tenant and 10 s: `plain` for each bucket, and `pairs` for those with pairs.
local function momentsOf(groups)
  local moments = {}
  for _, group in pairs(groups) do
    local tenant = group.what.tenant
    local name = math.floor(group.at / FINEST_MS) .. ' ' .. tenant
    local moment = moments[name] or { tenant = tenant, at = group.at, plain = emptySums(), pairs = emptySums() }
    moments[name] = moment
    local plain, ofPairs = fieldsOf(group.what)
    addToFields(moment.plain, plain, group.value)
    addToFields(moment.pairs, ofPairs, group.value)
  end
  return moments
end

-- foldStats(log, mostEntries, mostGroups): moves entries of the log to their buckets, in order, up to these numbers. Returns the number of those
-- that are left.
local function foldStats(log, mostEntries, mostGroups)
  local groups, count = groupEntries(redis.call('LRANGE', log, 0, mostEntries - 1), mostGroups)
  for _, moment in pairs(momentsOf(groups)) do
    for _, bucket in ipairs(BUCKETS) do
      local begin = math.floor(moment.at / 1000 / bucket.seconds) * bucket.seconds
      local key = string.format('${prefix}:stats:%s:%d:%d', moment.tenant, bucket.seconds, begin)
      addToBucket(key, moment.plain)
      if bucket.hasPairs and next(moment.pairs.values) then addToBucket(key, moment.pairs) end
      redis.call('EXPIREAT', key, string.format('%.0f', begin + bucket.seconds + bucket.keptSeconds + SPARE_SECONDS))
    end
  end
  redis.call('LTRIM', log, count, -1)
  return redis.call('LLEN', log)
end
