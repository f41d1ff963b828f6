-- @include note-stats.lua

-- acceptedJson(kind, lane): the JSON of the entries for accepted invocations of a lane, which names the tenant. `kind` has `queue`, `name`, `tools`
-- unless the name is the only tool, and maybe `agent`.
local function acceptedJson(kind, lane)
  kind.noted = kind.noted
    or cjson.encode({ kind = 'accepted', queue = kind.queue, tools = kind.tools or { kind.name }, agent = kind.agent })
  return ofTenant(string.match(lane, '^%d+:([^:]*):'), kind.noted)
end

-- countAccepted(counts, at, json): counts one more invocation that was accepted at this time (the text of a time in ms).
local function countAccepted(counts, at, json)
  local ofTime = counts[json] or {}
  counts[json] = ofTime
  ofTime[at] = (ofTime[at] or 0) + 1
end

-- acceptedEntries(counts): an entry for each time and JSON. Those of a batch have few different times.
local function acceptedEntries(counts)
  local entries = {}
  for json, ofTime in pairs(counts) do
    for at, count in pairs(ofTime) do entries[#entries + 1] = entryOf(at, count, nil, json) end
  end
  return entries
end
