local MOST_BYTES = 4096

-- endMessage(id, run): the notification of the end of a job. With `run`, it also has the time of its start and of its end (ms), the number of its
-- starts and its result, so that nobody has to read them. A long result is left out, because each API process gets the message.
-- `run`: startedOn, endedOn, starts and result (JSON), from wholeRun, or nil.
local function endMessage(id, run)
  local message = '${ended}' .. id
  if run and #run.result <= MOST_BYTES then
    message = table.concat({ message, run.startedOn, run.endedOn, run.starts, run.result }, ' ')
  end
  return message
end

-- wholeRun(awaited, startedOn, endedOn, starts, result, suspensions, cancelled): the run of an invocation that a request awaits, for endMessage.
-- Returns nil if nobody awaits it, if it did not succeed at its first start, or if more than its job must be read. Each argument is a field of the
-- job or false.
local function wholeRun(awaited, startedOn, endedOn, starts, result, suspensions, cancelled)
  if not awaited or not startedOn or not result or suspensions or cancelled or tonumber(starts) ~= 1 then return nil end
  return { startedOn = startedOn, endedOn = endedOn, starts = starts, result = result }
end

-- The keys of an invocation with states of its steps or with files. Then more than its job must be read.
local function moreOf(id) return '${prefix}:state:' .. id, '${prefix}:artifacts:' .. id end
