-- Moves the entries that are kept as text beside some buckets to the fields of the buckets, so that these can be read.
--
-- KEYS: buckets of one length
-- ARGV: 1 their length (s)
-- Result: nil
-- @include fold-stats.lua
for _, bucket in ipairs(BUCKETS) do
  if bucket.seconds == tonumber(ARGV[1]) then
    for _, key in ipairs(KEYS) do
      local begin = tonumber(string.match(key, ':(%d+)$'))
      if redis.call('EXISTS', key .. ':few') == 1 then foldText(key, bucket.hasPairs, placeOf(bucket, begin * 1000).endsAt) end
    end
  end
end
return nil
