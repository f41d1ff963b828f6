-- @include record-change.lua
-- @include publish-together.lua
-- @include ../fair/lanes.lua

-- recordStarts(starts): notifies listeners that these jobs start. The invocations among them move to the end of the order of changes, unless
-- they have no entry there. Each of `starts` has `id` and `data` (JSON).
local function recordStarts(starts)
  local invocations, changed = {}, {}
  for _, start in ipairs(starts) do
    -- The id of a script that runs for a step has a dot.
    if not string.find(start.id, '.', 1, true) then invocations[#invocations + 1] = start end
  end
  local change = #invocations > 0 and nextChange('${changeClock}', #invocations)
  for n, start in ipairs(invocations) do
    local tenant = tenantInData(start.data)
    local scored = changed[tenant] or {}
    changed[tenant] = scored
    scored[#scored + 1] = digits(change + n - 1)
    scored[#scored + 1] = string.sub(start.id, #'inv_' + 1)
  end
  for tenant, scored in pairs(changed) do redis.call('ZADD', '${prefix}:index:' .. tenant .. ':changed', 'XX', unpack(scored)) end
  local messages = {}
  for n, start in ipairs(starts) do messages[n] = start.id end
  publishTogether(messages)
end
