-- Moves entries of the log of statistics to their buckets. Each entry counts once: it leaves the log in the same step.
--
-- KEYS: 1 log
-- ARGV: 1 highest number of entries, 2 highest number of different ones
-- Result: the number of entries that are left
-- @include fold-stats.lua
return foldStats(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]))
