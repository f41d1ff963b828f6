-- Records the first start of an invocation in the order of changes, and notifies listeners.
--
-- KEYS: 1 order of changes, 2 clock of changes, 3 notification channel
-- ARGV: 1 id, 2 index member
-- @include record-change.lua
recordChange(KEYS[1], KEYS[2], ARGV[2])
redis.call('PUBLISH', KEYS[3], ARGV[1])
