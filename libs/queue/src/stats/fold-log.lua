-- Moves entries of the log of statistics to their buckets. Each entry counts once: it leaves the log in the same step.
--
-- KEYS: 1 log
-- ARGV: 1 highest number of entries
-- Result: the number of moved entries
-- @include fold-stats.lua
return foldStats(KEYS[1], tonumber(ARGV[1]))
