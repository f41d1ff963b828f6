-- @include fold-stats.lua for foldStats

-- The log of statistics is folded by a sweep, see stats-sweep.ts. A script that finds more entries than this folds some itself: more than it
-- adds, so that the log shrinks also where nobody sweeps.
local MOST_NOTED, FOLDED_AT_ONCE, GROUPS_AT_ONCE = ${fold.mostNoted}, ${fold.atOnce}, ${fold.groupsAtOnce}
local STATS_LOG_SECONDS = ${fold.logSeconds}

-- entryOf(at, first, second, what): an entry of the log. `at`: the text of a time in ms. `what`: JSON. `first` and `second` may be nil.
local function entryOf(at, first, second, what) return at .. ' ' .. (first or '-') .. ' ' .. (second or '-') .. ' ' .. what end

-- The results of ofTenant in this run of the script, by `json` and by tenant.
local ofTenants = {}

-- ofTenant(tenant, json): the JSON of an entry of a tenant. `json` has the other fields. Most entries of a run have the same other fields, which are
-- encoded once, because that is slow. No name of a tenant has a character that JSON escapes.
local function ofTenant(tenant, json)
  local made = ofTenants[json] or {}
  ofTenants[json] = made
  made[tenant] = made[tenant] or '{"tenant":"' .. tenant .. '",' .. string.sub(json, 2)
  return made[tenant]
end

-- The results of endedJson in this run of the script.
local noted = {}

-- endedJson(ending, queueName, errorType): the JSON of an entry without the tenant. `ending` as in endedEntry.
local function endedJson(ending, queueName, errorType)
  local name = table.concat({ queueName, ending.status, errorType or '', ending.name, ending.tools, ending.agent }, '\n')
  noted[name] = noted[name] or cjson.encode({
    kind = 'ended', queue = queueName, tools = ending.tools ~= '' and cjson.decode(ending.tools) or { ending.name },
    agent = ending.agent ~= '' and ending.agent or nil, outcome = ending.status, errorType = errorType,
  })
  return noted[name]
end

-- waitedMs(accepted, started, isFirst, options): how long an invocation has waited for its first start beyond its own delay (ms). nil if
-- `started` is the time of a later start.
local function waitedMs(accepted, started, isFirst, options)
  if not (accepted and started and isFirst) then return nil end
  local delay = string.match(options or '', '"delay":(%d+)') or 0
  return math.max(0, started - accepted - delay)
end

-- endedEntry(ending, queueName, endedAt): an entry for an invocation that ended at this time (the text of a time in ms). `ending` has `tenant`,
-- `name`, `status`, `value`, `tools` (JSON or ''), `agent` (or '') and maybe `ranMs` and `waitedMs`.
local function endedEntry(ending, queueName, endedAt)
  local errorType = ending.status == 'failed' and string.match(ending.value, '^{"type":"(%w+)"') or nil
  local json = ofTenant(ending.tenant, endedJson(ending, queueName, errorType))
  return entryOf(endedAt, ending.waitedMs, ending.ranMs and math.max(0, ending.ranMs), json)
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
