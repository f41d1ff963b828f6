-- Statistics are kept in buckets of time: one hash for each tenant, length and begin. A field is `<dimension>:<value>`, and its value a JSON
-- list with the numbers of libs/queue/src/stats/bucket-value.ts. The fields of one dimension add up to the whole; `t` counts an invocation
-- under each of its tools.
--   q queue, t tool, a agent, o outcome, e error type; in buckets of a day also x (tool, error type) and p (tool, parameter, kind)
--   <dimension>*: what came after the bound of the dimension, and #<dimension>: the number of its other fields
local BUCKETS = {
  { seconds = 10, keptSeconds = 3600 },
  { seconds = 60, keptSeconds = 172800 },
  { seconds = 900, keptSeconds = 2592000 },
  { seconds = 86400, keptSeconds = 2592000, hasPairs = true },
}
local SPARE_SECONDS = 120
-- The highest number of fields of each dimension, and of characters of a value.
local MOST_FIELDS = { q = 50, t = 200, a = 200, o = 5, e = 100, x = 500, p = 500 }
local LONGEST_VALUE = 256
-- A bin of a histogram covers durations up to 1.2 times its beginning.
local BIN_GROWTH, LAST_BIN = math.log(1.2), 130
-- The places in a value.
local ACCEPTED, ENDED, FAILED, REFUSED, DEPTH, OLDEST, LAST_AT, WAITS, RUNS = 1, 2, 3, 4, 5, 6, 7, 8, 9

-- binOf(ms): the bin of a duration, as a text.
local function binOf(ms)
  if ms < 1 then return '0' end
  return tostring(math.min(LAST_BIN, 1 + math.floor(math.log(ms) / BIN_GROWTH)))
end

-- valueOf(entry): what an entry of the log adds to each field.
local function valueOf(entry)
  local value = { 0, 0, 0, 0, 0, 0, entry.at, {}, {} }
  if entry.kind == 'accepted' then value[ACCEPTED] = 1
  elseif entry.kind == 'ended' then
    value[ENDED] = 1
    if entry.outcome == 'failed' then value[FAILED] = 1 end
    if entry.waitedMs then value[WAITS][binOf(entry.waitedMs)] = 1 end
    if entry.ranMs then value[RUNS][binOf(entry.ranMs)] = 1 end
  elseif entry.kind == 'refused' then value[REFUSED] = entry.count
  elseif entry.kind == 'depth' then
    value[DEPTH], value[OLDEST] = entry.depth, entry.oldestMs
  end
  return value
end

-- addValue(sum, value): adds a value to a sum, in place. Depths and times are the highest ones.
local function addValue(sum, value)
  for place = ACCEPTED, REFUSED do sum[place] = sum[place] + value[place] end
  for place = DEPTH, LAST_AT do sum[place] = math.max(sum[place], value[place]) end
  for place = WAITS, RUNS do
    for bin, count in pairs(value[place]) do sum[place][bin] = (sum[place][bin] or 0) + count end
  end
end

-- fieldsOf(entry, hasPairs): the fields of a bucket that an entry changes.
local function fieldsOf(entry, hasPairs)
  if entry.kind == 'depth' then return { 'q:' .. entry.queue } end
  local fields = { 'q:' .. (entry.queue or ''), 'a:' .. (entry.agent or ''), 'o:' .. (entry.outcome or ''), 'e:' .. (entry.errorType or '') }
  local tools = entry.tools or {}
  if #tools == 0 then fields[#fields + 1] = 't:' end
  for _, tool in ipairs(tools) do
    fields[#fields + 1] = 't:' .. tool
    if hasPairs and entry.errorType and entry.kind == 'ended' then fields[#fields + 1] = 'x:' .. tool .. '\t' .. entry.errorType end
  end
  for _, parameter in ipairs(hasPairs and entry.parameters or {}) do fields[#fields + 1] = 'p:' .. parameter end
  for n, field in ipairs(fields) do
    if #field > LONGEST_VALUE + 2 then fields[n] = string.sub(field, 1, 1) .. '*' end
  end
  return fields
end

-- addToField(key, field, value): adds a value to a field of a bucket, or to the rest of its dimension if that is full.
local function addToField(key, field, value)
  local stored, dimension = redis.call('HGET', key, field), string.sub(field, 1, 1)
  if not stored and string.sub(field, 2, 2) == ':' then
    if (tonumber(redis.call('HGET', key, '#' .. dimension)) or 0) >= MOST_FIELDS[dimension] then
      return addToField(key, dimension .. '*', value)
    end
    redis.call('HINCRBY', key, '#' .. dimension, 1)
  end
  local sum = stored and cjson.decode(stored) or { 0, 0, 0, 0, 0, 0, 0, {}, {} }
  addValue(sum, value)
  redis.call('HSET', key, field, cjson.encode(sum))
end

-- foldStats(log, most): moves up to `most` entries of the log to their buckets. Returns their number.
local function foldStats(log, most)
  local entries, sums, ends = redis.call('LPOP', log, most) or {}, {}, {}
  for _, text in ipairs(entries) do
    local entry = cjson.decode(text)
    local value = valueOf(entry)
    for _, bucket in ipairs(BUCKETS) do
      local begin = math.floor(entry.at / 1000 / bucket.seconds) * bucket.seconds
      local key = string.format('${prefix}:stats:%s:%d:%d', entry.tenant, bucket.seconds, begin)
      ends[key] = begin + bucket.seconds + bucket.keptSeconds + SPARE_SECONDS
      local fields = sums[key] or {}
      sums[key] = fields
      for _, field in ipairs(fieldsOf(entry, bucket.hasPairs)) do
        fields[field] = fields[field] or { 0, 0, 0, 0, 0, 0, 0, {}, {} }
        addValue(fields[field], value)
      end
    end
  end
  for key, fields in pairs(sums) do
    for field, value in pairs(fields) do addToField(key, field, value) end
    redis.call('EXPIREAT', key, string.format('%.0f', ends[key]))
  end
  return #entries
end
