-- Sums of entries of the log of statistics: a table from fields to values. fold-stats.lua describes fields, values and entries.
local LONGEST_VALUE = 256
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
  accepted = function(value, count) value[ACCEPTED] = value[ACCEPTED] + (tonumber(count) or 1) end,
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

-- groupEntries(entries): one group for all entries with the same JSON, with `what` (the JSON as a table) and `value`. A malformed entry is left
-- out.
local function groupEntries(entries)
  local groups = {}
  for _, text in ipairs(entries) do
    local at, first, second, json = string.match(text, '^(%d+) (%S+) (%S+) (.*)$')
    local group = groups[json]
    if not group then
      local isJson, what = pcall(cjson.decode, json)
      group = { what = isJson and type(what) == 'table' and what or {}, value = emptyValue() }
      groups[json] = group
    end
    group.value[LAST_AT] = math.max(group.value[LAST_AT], tonumber(at))
    local add = addEntry[group.what.kind]
    if add then add(group.value, first, second, group.what) else groups[json] = nil end
  end
  return groups
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

-- sumsOf(entries): the sums of entries of a tenant and 10 s: `plain` for each bucket, and `pairs` for those with pairs.
local function sumsOf(entries)
  local sums = { plain = emptySums(), pairs = emptySums() }
  for _, group in pairs(groupEntries(entries)) do
    local plain, ofPairs = fieldsOf(group.what)
    addToFields(sums.plain, plain, group.value)
    addToFields(sums.pairs, ofPairs, group.value)
  end
  return sums
end

-- mergedSums(all): the sum of such sums.
local function mergedSums(all)
  if #all == 1 then return all[1] end
  local merged = { plain = emptySums(), pairs = emptySums() }
  for _, sums in ipairs(all) do
    for kind, into in pairs(merged) do
      for field, value in pairs(sums[kind].values) do addShared(into, field, value) end
    end
  end
  return merged
end
