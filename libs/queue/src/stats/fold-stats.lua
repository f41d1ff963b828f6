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

-- groupEntries(entries): the entries with the same JSON and the same 10 s as one group, with `what`, `at` (ms) and `value`. A malformed
-- entry is left out.
local function groupEntries(entries)
  local groups = {}
  for _, text in ipairs(entries) do
    local at, first, second, json = string.match(text, '^(%d+) (%S+) (%S+) (.*)$')
    at = tonumber(at) or 0
    local name = math.floor(at / FINEST_MS) .. (json or '')
    local group = groups[name]
    if not group then
      local isJson, what = pcall(cjson.decode, json or '')
      group = { what = isJson and type(what) == 'table' and what or {}, at = at, value = emptyValue() }
      groups[name] = group
    end
    group.value[LAST_AT] = math.max(group.value[LAST_AT], at)
    local add = addEntry[group.what.kind]
    if add then add(group.value, first, second, group.what) else groups[name] = nil end
  end
  return groups
end

-- fieldsOf(what, hasPairs): the fields of a bucket that a group changes.
local function fieldsOf(what, hasPairs)
  if what.kind == 'depth' then return { 'q:' .. what.queue } end
  local fields = { 'q:' .. (what.queue or ''), 'a:' .. (what.agent or ''), 'o:' .. (what.outcome or ''), 'e:' .. (what.errorType or '') }
  local tools = what.tools or {}
  if #tools == 0 then fields[#fields + 1] = 't:' end
  for _, tool in ipairs(tools) do
    fields[#fields + 1] = 't:' .. tool
    if hasPairs and what.errorType and what.kind == 'ended' then fields[#fields + 1] = 'x:' .. tool .. '\t' .. what.errorType end
  end
  for _, parameter in ipairs(hasPairs and what.parameters or {}) do fields[#fields + 1] = 'p:' .. parameter end
  for n, field in ipairs(fields) do
    if #field > LONGEST_VALUE + 2 then fields[n] = string.sub(field, 1, 1) .. '*' end
  end
  return fields
end

-- storedFields(key, fields): the stored texts of these fields, of the rests and of the numbers of fields, by name.
local function storedFields(key, fields)
  local names, stored = {}, {}
  for dimension in pairs(MOST_FIELDS) do
    names[#names + 1] = dimension .. '*'
    names[#names + 1] = '#' .. dimension
  end
  for field in pairs(fields) do names[#names + 1] = field end
  for first = 1, #names, MOST_ARGUMENTS do
    local last = math.min(#names, first + MOST_ARGUMENTS - 1)
    for n, text in ipairs(redis.call('HMGET', key, unpack(names, first, last))) do stored[names[first + n - 1]] = text end
  end
  return stored
end

-- addToBucket(key, fields): adds values to the fields of a bucket. What is new in a dimension that is full counts as its rest.
local function addToBucket(key, fields)
  local stored, sums, changed = storedFields(key, fields), {}, {}
  for field, value in pairs(fields) do
    local dimension = string.sub(field, 1, 1)
    local number = '#' .. dimension
    if not stored[field] and string.sub(field, 2, 2) == ':' then
      if (tonumber(stored[number]) or 0) >= MOST_FIELDS[dimension] then
        field = dimension .. '*'
      else
        stored[number] = (tonumber(stored[number]) or 0) + 1
        changed[number] = stored[number]
      end
    end
    sums[field] = sums[field] or (stored[field] and cjson.decode(stored[field])) or emptyValue()
    addValue(sums[field], value)
  end
  local texts = {}
  for number, count in pairs(changed) do
    texts[#texts + 1] = number
    texts[#texts + 1] = count
  end
  for field, sum in pairs(sums) do
    texts[#texts + 1] = field
    texts[#texts + 1] = cjson.encode(sum)
  end
  for first = 1, #texts, MOST_ARGUMENTS do
    redis.call('HSET', key, unpack(texts, first, math.min(#texts, first + MOST_ARGUMENTS - 1)))
  end
end

-- foldStats(log, most): moves up to `most` entries of the log to their buckets. Returns their number.
local function foldStats(log, most)
  local entries, sums, ends = redis.call('LPOP', log, most) or {}, {}, {}
  for _, group in pairs(groupEntries(entries)) do
    for _, bucket in ipairs(BUCKETS) do
      local begin = math.floor(group.at / 1000 / bucket.seconds) * bucket.seconds
      local key = string.format('${prefix}:stats:%s:%d:%d', group.what.tenant, bucket.seconds, begin)
      ends[key] = begin + bucket.seconds + bucket.keptSeconds + SPARE_SECONDS
      local fields = sums[key] or {}
      sums[key] = fields
      for _, field in ipairs(fieldsOf(group.what, bucket.hasPairs)) do
        fields[field] = fields[field] or emptyValue()
        addValue(fields[field], group.value)
      end
    end
  end
  for key, fields in pairs(sums) do
    addToBucket(key, fields)
    redis.call('EXPIREAT', key, string.format('%.0f', ends[key]))
  end
  return #entries
end
