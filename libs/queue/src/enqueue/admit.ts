import type { Callback } from '@errand/contracts';
import { ADMIT } from './admission-script.js';
import type { Queues } from '../redis/connect.js';
import { GatherTurn } from './enqueue-batch.js';
import { HOLD_SECONDS, standsFor, type KeyHold } from './idempotency.js';
import { formOf } from '../bullmq/job-template.js';
import { jobOptions, type SubmitOptions } from './job-options.js';
import { keys, type QueueName } from '../redis/names.js';
import { deliveryOptions } from './job-options.js';
import { planAdmissions, type AdmissionKind, type ReadyAdmission } from './enqueue-batch.js';
import type { DeliveryRecord, InvocationRecord } from '../state/record.js';

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

/** How many are admitted in one step, of how many characters in all: other commands pass between two. */
const AT_ONCE = { items: 100, weight: 1_000_000, weigh: ({ data }: ReadyAdmission) => data.length };

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
