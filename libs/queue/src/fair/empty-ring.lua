-- Moves up to 1,000 waiting jobs from their lanes to BullMQ's waiting list, in the order in which they would start.
--
-- KEYS: 1 prefix of the queue's keys
-- ARGV: none
-- Result: the number of moved jobs
-- @include admit.lua
return admitNext(KEYS[1], 1000 + redis.call('LLEN', KEYS[1] .. 'wait'), { maxShare = 1, slots = 0, now = 0, ending = '', comesFirst = true })
