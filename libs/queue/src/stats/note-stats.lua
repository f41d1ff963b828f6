-- @include fold-stats.lua

-- The log of statistics is folded by a sweep, see stats-sweep.ts. A script that finds more entries than this folds some itself: more than it
-- adds, so that the log shrinks also where nobody sweeps.
local MOST_NOTED, FOLDED_AT_ONCE, GROUPS_AT_ONCE = ${fold.mostNoted}, ${fold.atOnce}, ${fold.groupsAtOnce}
local STATS_LOG_SECONDS = ${fold.logSeconds}

-- entryOf(at, first, second, what): an entry of the log. `at` in ms; `first` and `second` may be nil.
local function entryOf(at, first, second, what)
  return string.format('%.0f %s %s %s', at, first or '-', second or '-', cjson.encode(what))
end

-- acceptedEntry(at, queue, lane, tools, agent): an entry for an accepted invocation. `lane` names the tenant; `agent` may be nil.
local function acceptedEntry(at, queue, lane, tools, agent)
  local tenant = string.match(lane, '^%d+:([^:]*):')
  return entryOf(at, nil, nil, { kind = 'accepted', tenant = tenant, queue = queue, tools = tools, agent = agent })
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
  return entryOf(now, ending.waitedMs, ending.ranMs and math.max(0, ending.ranMs), {
    kind = 'ended', tenant = ending.tenant, queue = queueName,
    tools = ending.tools ~= '' and cjson.decode(ending.tools) or { ending.name },
    agent = ending.agent ~= '' and ending.agent or nil,
    outcome = ending.status, errorType = isFailed and string.match(ending.value, '^{"type":"(%w+)"') or nil,
  })
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
