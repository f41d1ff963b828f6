-- Records the start of an invocation that BullMQ's script took (a queue with a rate limit): the order of changes, listeners and push deliveries.
-- Its push deliveries get the status unless a later one has come meanwhile: the start is recorded while the job runs already.
--
-- KEYS: 1 order of changes, 2 clock of changes, 3 notification channel, 4 job
-- ARGV: 1 id, 2 member of the order of changes
-- Result: nil
-- @include record-change.lua
-- @include ../push/push-status.lua
recordChange(KEYS[1], KEYS[2], ARGV[2])
redis.call('PUBLISH', KEYS[3], ARGV[1])
if isOpen(KEYS[4]) and redis.call('HEXISTS', KEYS[4], '${field.lastStatus}') == 0 then pushStatus(KEYS[4], 'running') end
