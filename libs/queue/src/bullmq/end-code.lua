-- The code of an ended job in the reply to a consumer: it has ended, another process has it, or it needs BullMQ's script.
local ENDED, LOST, OTHER = 1, 0, 2

-- knownCode(ending, starts, endedOn): ENDED for a job that an earlier call has ended, LOST for one that another process has, or nil: the job may
-- be ended now. `ending` has `token`, `attempt` (count of starts) and `holder` (token of the lock, or false). `starts` and `endedOn` are
-- fields of the job.
local function knownCode(ending, starts, endedOn)
  if starts ~= ending.attempt then return LOST end
  if endedOn then return ENDED end
  -- A lapsed lock is as good as a held one: nobody has started the job since.
  if ending.holder and ending.holder ~= ending.token then return LOST end
end
