-- @include charge.lua
-- @include slot-share.lua

-- chargeTenants(jobs, ended, rules): corrects what the ended jobs cost their tenants, and records that these had work. A job without `ranMs`
-- held no slot.
local function chargeTenants(jobs, ended, rules)
  if rules.isTimed then
    local held = {}
    for _, ending in ipairs(ended) do
      if ending.ranMs then held[#held + 1] = { lane = ending.lane, ms = ending.ranMs } end
    end
    chargeAll(jobs, held)
  end
  if rules.maxShare >= 1 then return end
  local noted = {}
  for _, ending in ipairs(ended) do
    if not noted[ending.lane] then noteWork(jobs, ending.lane, rules) end
    noted[ending.lane] = true
  end
end
