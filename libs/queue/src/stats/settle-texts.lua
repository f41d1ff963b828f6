-- Moves the entries that are kept as text to their buckets, so that these can be read.
--
-- KEYS: texts, each of a tenant and a day
-- Result: nil
-- @include fold-stats.lua
for _, key in ipairs(KEYS) do foldText(key) end
return nil
