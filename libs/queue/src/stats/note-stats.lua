-- @include fold-stats.lua for foldStats
-- @include ../redis/digits.lua

-- The log of statistics is folded by a sweep, see stats-sweep.ts. A script that finds more entries than this folds some itself: more than it
-- adds, so that the log shrinks also where nobody sweeps.
local MOST_NOTED, FOLDED_AT_ONCE, GROUPS_AT_ONCE = ${fold.mostNoted}, ${fold.atOnce}, ${fold.groupsAtOnce}
local STATS_LOG_SECONDS = ${fold.logSeconds}

-- entryOf(at, first, second, what): an entry of the log. `at`: the text of a time in ms. `what`: JSON. `first` and `second` may be nil.
local function entryOf(at, first, second, what) return at .. ' ' .. (first or '-') .. ' ' .. (second or '-') .. ' ' .. what end

-- The JSON of the entries of this run of the script. Most entries of a run have the same JSON, which is therefore made once.
local texts = {}

-- textOf(what, tool): the JSON of an entry with one tool. `what` has all fields but the tools, as texts.
local function textOf(what, tool)
  local parts = { what.kind, what.tenant, what.queue, what.outcome or '', what.errorType or '', tool, what.agent or '' }
  local name = table.concat(parts, '\n')
  if not texts[name] then
    what.tools = { tool }
    texts[name] = cjson.encode(what)
  end
  return texts[name]
end

-- waitedMs(accepted, started, isFirst, options): how long an invocation has waited for its first start beyond its own delay (ms). nil if
-- `started` is the time of a later start.
local function waitedMs(accepted, started, isFirst, options)
  if not (accepted and started and isFirst) then return nil end
  local delay = string.match(options or '', '"delay":(%d+)') or 0
  return math.max(0, started - accepted - delay)
end

-- endedEntry(ending, queueName, now): an entry for an ended invocation. `ending` has `tenant`, `name`, `status`, `value`, `tools` (JSON or
-- ''), `agent` (or '') and maybe `ranMs` and `waitedMs`.
local function endedEntry(ending, queueName, now)
  local isFailed = ending.status == 'failed'
  local what = {
    kind = 'ended', tenant = ending.tenant, queue = queueName, tools = ending.tools ~= '' and cjson.decode(ending.tools) or nil,
    agent = ending.agent ~= '' and ending.agent or nil,
    outcome = ending.status, errorType = isFailed and string.match(ending.value, '^{"type":"(%w+)"') or nil,
  }
  local text = what.tools and cjson.encode(what) or textOf(what, ending.name)
  return entryOf(digits(now), ending.waitedMs, ending.ranMs and math.max(0, ending.ranMs), text)
end

-- noteStats(entries): adds entries to the log of statistics. One command, unless the log is new or too long.
local function noteStats(entries)
  if #entries == 0 then return end
  local held = redis.call('RPUSH', '${statsLog}', unpack(entries))
  if held == #entries then redis.call('EXPIRE', '${statsLog}', STATS_LOG_SECONDS) end
  if held > MOST_NOTED then
    foldStats('${statsLog}', math.max(FOLDED_AT_ONCE, 2 * #entries), math.max(GROUPS_AT_ONCE, 2 * #entries))
  end
end
