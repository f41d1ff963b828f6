-- @include sum-entries.lua
-- The highest number of fields of each dimension.
local MOST_FIELDS = { q = 50, t = 200, a = 200, o = 5, e = 100, x = 500, p = 500 }
-- The highest number of values of one command; an even number. `unpack` fails above 7,999 values.
local MOST_ARGUMENTS = 1000

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

-- placesOf(stored, values): the values with the fields in which the bucket keeps them, and the changed numbers of fields. If a dimension is full,
-- the field `<dimension>*` gets the values of new fields.
local function placesOf(stored, values)
  local sums, numbers = emptySums(), {}
  for field, value in pairs(values) do
    local dimension = string.sub(field, 1, 1)
    local number = '#' .. dimension
    -- A field `<dimension>:<value>` counts toward the bound. The field `<dimension>*` does not: its second character is `*`.
    if not stored[field] and string.sub(field, 2, 2) == ':' then
      local count = tonumber(numbers[number] or stored[number]) or 0
      if count >= MOST_FIELDS[dimension] then field = dimension .. '*' else numbers[number] = count + 1 end
    end
    addShared(sums, field, value)
  end
  return sums.values, numbers
end

-- textsOf(stored, values): the changed fields of a bucket and their new texts, for HSET. `stored` has the present texts.
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

-- addValues(key, sums): adds values to the fields of a bucket. All new buckets get the same texts.
local function addValues(key, sums)
  if not next(sums.values) then return end
  local isNew = redis.call('EXISTS', key) == 0
  if isNew then sums.texts = sums.texts or textsOf({}, sums.values) end
  local texts = isNew and sums.texts or textsOf(storedFields(key, sums.values), sums.values)
  for first = 1, #texts, MOST_ARGUMENTS do
    redis.call('HSET', key, unpack(texts, first, math.min(#texts, first + MOST_ARGUMENTS - 1)))
  end
end
