import type { Callback } from '@errand/contracts';
import { addDelayedJob, addParentJob, addPrioritizedJob, addStandardJob } from 'bullmq/dist/cjs/scripts/index.js';
import type { Queues } from './connect.js';
import { GatherTurn } from './gather-turn.js';
import { HOLD_SECONDS, standsFor, type KeyHold } from './idempotency.js';
import { formOf } from './job-form.js';
import { jobOptions, type SubmitOptions } from './job-options.js';
import { DELIVERIES, keys, PREFIX, type QueueName } from './names.js';
import { deliveryOptions } from './owe-delivery.js';
import { planAdmissions, type AdmissionKind, type ReadyAdmission } from './plan-admission.js';
import type { DeliveryRecord, InvocationRecord } from './record.js';
import { asFunction, LuaScript } from './run-lua.js';

/** An invocation at the door of its queue. */
export interface Admission {
  queue: QueueName;
  id: string;
  /** Of the job. */
  name: string;
  /** When it was accepted, in ms. */
  at: number;
  record: InvocationRecord;
  options: SubmitOptions;
  /** Whom to tell of its end. */
  callback?: Callback | undefined;
  /** The key under which it was asked for. */
  hold?: KeyHold | undefined;
}

/** `full`: the queue has its bound, and holds nothing of this one. */
export type Admitted = 'taken' | 'full';

const ADDS = [addStandardJob, addDelayedJob, addPrioritizedJob, addParentJob];

/**
 * Adds jobs by BullMQ's own scripts, each behind its delivery if it owes one, and writes them into the index; where a queue has its
 * bound, nothing. A job that was there before stays as it is. The key under which a job was asked for stands for it from now on.
 *
 * KEYS: what the plan names by number.
 * ARGV: 1 the plan, 2 options of deliveries, 3 and on: those of each kind; then of each job its data, and that of its delivery.
 * Returns of each whether it is there (1) or not (0), or BullMQ's code for why it can't be.
 */
const ADMIT = new LuaScript<number[]>(`
${ADDS.map(asFunction).join('')}
local add = { ${ADDS.map(({ name }) => `${name} = ${name}`).join(', ')} }
local plan = cjson.decode(ARGV[1])
local function named(numbers)
  local keys = {}
  for n, number in ipairs(numbers) do keys[n] = KEYS[number] end
  return keys
end
local there, parked = {}, {}
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

/** How many are admitted in one step: other commands pass between two. */
const AT_ONCE = 100;

/**
 * Enqueues an invocation with its delivery, index entries and key: it is there with all of it, or not at all. One round trip, which
 * those share that come in the same turn of the event loop; a job whose id is there already stays as it is. The bound of a queue holds
 * exactly, whoever else submits at the same time.
 * @throws what Redis says where it takes nothing
 */
export async function admit(queues: Queues, admission: Admission): Promise<Admitted> {
  const desk = DESKS.get(queues) ?? new Desk(queues);
  DESKS.set(queues, desk);
  return desk.admit(admission);
}

const DESKS = new WeakMap<Queues, Desk>();
/** Kinds are as many as delays and priorities that callers ask for. */
const KINDS_KEPT = 1_000;

/** Where the invocations of a process come in. */
class Desk {
  private readonly kinds = new Map<string, AdmissionKind>();
  private readonly turn: GatherTurn<ReadyAdmission, number>;

  constructor(private readonly queues: Queues) {
    const form = formOf(queues.deliveries, deliveryOptions(queues), { addToWaitingChildren: true });
    const common = { bound: queues.bound, deliveries: form, holdSeconds: HOLD_SECONDS };
    this.turn = new GatherTurn((admissions) => {
      const { keys: names, args } = planAdmissions(admissions, common);
      return ADMIT.run(queues.redis, names, args);
    }, AT_ONCE);
  }

  async admit({ queue, id, name, at, record, options, callback, hold }: Admission): Promise<Admitted> {
    const { tenant } = record;
    const owed = callback && JSON.stringify({ tenant, invocationId: id, callback } satisfies DeliveryRecord);
    const code = await this.turn.do({
      kind: this.kindOf(queue, tenant, options, owed !== undefined),
      id,
      name,
      at,
      record,
      data: JSON.stringify(record),
      ...(owed !== undefined && { owed }),
      ...(hold && { hold: { key: keys.idempotency(tenant, hold.digest), stands: standsFor(id, hold) } }),
    });
    if (code < 0) throw new Error(`BullMQ took the job for none: ${code}`);
    return code === 1 ? 'taken' : 'full';
  }

  private kindOf(queue: QueueName, tenant: string, options: SubmitOptions, owes: boolean): AdmissionKind {
    const { priority = 0, delayMs = 0 } = options;
    const name = `${queue} ${priority} ${delayMs} ${owes} ${tenant}`;
    const known = this.kinds.get(name);
    if (known) return known;
    const asked = { ...jobOptions(options), ...(owes && { removeDependencyOnFailure: true }) };
    const form = formOf(this.queues.byName[queue], asked);
    const kind = { queue, tenant, form, isLater: priority > 0 || delayMs > 0 };
    if (this.kinds.size === KINDS_KEPT) this.kinds.clear();
    this.kinds.set(name, kind);
    return kind;
  }
}
