import { addDelayedJob, addParentJob, addPrioritizedJob, addStandardJob } from 'bullmq/dist/cjs/scripts/index.js';
import { DELIVERIES, PREFIX } from '../redis/names.js';
import { asFunction, LuaScript } from '../redis/lua-script.js';

const ADDS = [addStandardJob, addDelayedJob, addPrioritizedJob, addParentJob];

/**
 * Adds jobs by BullMQ's own scripts, each behind its delivery if it owes one, and writes them into the index; where a queue has its
 * bound, nothing. A job that was there before stays as it is. The key under which a job was asked for stands for it from now on.
 *
 * KEYS: what the plan names by number.
 * ARGV: 1 the plan, 2 options of deliveries, 3 and on: those of each kind; then of each job its data, and that of its delivery.
 * Returns of each whether it is there (1) or not (0), or BullMQ's code for why it can't be.
 */
export const ADMIT = new LuaScript<number[]>(`
${ADDS.map(asFunction).join('')}
local add = { ${ADDS.map(({ name }) => `${name} = ${name}`).join(', ')} }
local plan = cjson.decode(ARGV[1])
local function named(numbers)
  local keys = {}
  for n, number in ipairs(numbers) do keys[n] = KEYS[number] end
  return keys
end
local there = {}
local function prepare(form, options)
  form.keys, form.options = named(form.keys), options
  if not form.waits then return end
  local wait, prioritized, delayed = unpack(named(form.waits))
  local later = redis.call('ZCARD', delayed)
  there[form.queue] = redis.call('LLEN', wait) + redis.call('ZCARD', prioritized) + later
  form.aside = math.min(later, redis.call('ZCARD', KEYS[form.parked]))
end
prepare(plan.deliveries, ARGV[2])
for n, kind in ipairs(plan.kinds) do prepare(kind, ARGV[2 + n]) end

local function store(form, id, name, at, data, parent)
  local args = { form.jobs, id, name, at }
  if parent then
    local key = plan.deliveries.jobs .. parent
    args[5], args[6] = key, key .. ':dependencies'
    args[7] = { id = parent, queueKey = '${PREFIX}:${DELIVERIES}', rdof = true }
  end
  local reply = add[form.add](form.keys, { cmsgpack.pack(args), data, form.options })
  return type(reply) == 'number' and reply < 0 and reply or 1
end
local entries = {}
local function enter(set, member)
  local members = entries[set] or {}
  entries[set] = members
  members[#members + 1] = 0
  members[#members + 1] = member
end
local place = 2 + #plan.kinds
local function admit(job)
  local kind, data, owed = plan.kinds[job.kind], ARGV[place + 1]
  place = place + 1
  if job.owes then
    owed = ARGV[place + 1]
    place = place + 1
  end
  if redis.call('EXISTS', kind.jobs .. job.id) == 1 then return 1 end
  if plan.bound > 0 and there[kind.queue] - kind.aside >= plan.bound then return 0 end
  local code = owed and store(plan.deliveries, job.owes, '${DELIVERIES}', job.at, owed) or 1
  if code == 1 then code = store(kind, job.id, job.name, job.at, data, job.owes) end
  if code ~= 1 then return code end
  there[kind.queue] = there[kind.queue] + 1
  enter(kind.stands, job.member)
  for _, facet in ipairs(job.facets) do enter(facet, job.member) end
  return 1
end
local codes = {}
for n, job in ipairs(plan.jobs) do
  codes[n] = admit(job)
  if codes[n] == 1 and job.key then redis.call('SET', KEYS[job.key], job.holds, 'EX', plan.holdSeconds) end
end
for set, members in pairs(entries) do redis.call('ZADD', KEYS[set], unpack(members)) end
return codes`);
