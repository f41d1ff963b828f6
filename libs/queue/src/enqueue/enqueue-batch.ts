import { facetKeysOf, memberOf, standingKey } from '../state/search-index.js';
import type { JobForm } from '../bullmq/job-template.js';
import { DELIVERIES, deliveryId, keys, type QueueName } from '../redis/names.js';
import type { InvocationRecord } from '../state/record.js';

/** What invocations have in common that differ in what they call, and in nothing else. */
export interface AdmissionKind {
  queue: QueueName;
  tenant: string;
  form: JobForm;
  /** They come with a delay or a priority. */
  isLater: boolean;
}

/** An invocation at the door of its queue, as it is to be stored. */
export interface ReadyAdmission {
  kind: AdmissionKind;
  id: string;
  /** Of the job. */
  name: string;
  /** When it was accepted, in ms. */
  at: number;
  record: InvocationRecord;
  /** The record as JSON. */
  data: string;
  /** What its delivery carries, as JSON, where it has a callback. */
  owed?: string;
  /** The key under which it was asked for, and what that stands for once it is there. */
  hold?: { key: string; stands: string };
}

/** Keys of a script, each once, and known to it by its number. */
class KeyList {
  readonly keys: string[] = [];
  private readonly numbers = new Map<string, number>();

  numberOf(key: string): number {
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.keys.push(key);
    this.numbers.set(key, number);
    return number;
  }
}

/**
 * What the script that admits is given: its KEYS and, as ARGV, a plan in JSON, the options of each kind, and the data of each
 * invocation and its delivery. Whatever is equal for several is written once.
 */
export function planAdmissions(
  admissions: readonly ReadyAdmission[],
  { bound, deliveries, holdSeconds }: { bound: number; deliveries: JobForm; holdSeconds: number },
): { keys: string[]; args: (string | Buffer)[] } {
  const list = new KeyList();
  const numbered = (names: readonly string[]) => names.map((name) => list.numberOf(name));
  const toForm = (queue: QueueName | typeof DELIVERIES, { script, keys: names }: JobForm) => ({
    add: script,
    keys: numbered(names),
    jobs: keys.job(queue, ''),
  });
  const kinds = [...new Set(admissions.map(({ kind }) => kind))];
  const plan = {
    bound,
    holdSeconds,
    deliveries: toForm(DELIVERIES, deliveries),
    kinds: kinds.map(({ queue, tenant, form, isLater }) => ({
      ...toForm(queue, form),
      queue,
      waits: numbered((['wait', 'prioritized', 'delayed'] as const).map((set) => keys.set(queue, set))),
      parked: list.numberOf(standingKey(tenant, 'parked')),
      stands: list.numberOf(standingKey(tenant, isLater ? 'later' : `waiting:${queue}`)),
    })),
    jobs: admissions.map(({ kind, id, name, at, record, owed, hold }) => ({
      kind: kinds.indexOf(kind) + 1,
      id,
      member: memberOf(id),
      name,
      at,
      facets: numbered(facetKeysOf(record)),
      ...(owed !== undefined && { owes: deliveryId(id, 0) }),
      ...(hold && { key: list.numberOf(hold.key), holds: hold.stands }),
    })),
  };
  const data = admissions.flatMap(({ data: own, owed }) => (owed === undefined ? [own] : [own, owed]));
  const options = [deliveries, ...kinds.map(({ form }) => form)].map((form) => form.options);
  return { keys: list.keys, args: [JSON.stringify(plan), ...options, ...data] };
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** How much is done at a time: so many items, of that weight in all. One that is heavier alone is done alone. */
export interface Load<Item> {
  items: number;
  weight: number;
  weigh: (item: Item) => number;
}

/**
 * Has what is asked for in one turn of the event loop done together (the group commit of databases). Who asks alone waits for
 * nothing: the turn is over when all that has arrived by then has been looked at.
 */
export class GatherTurn<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];

  /** @param together gives a result for each item, in order, or fails for all of them */
  constructor(
    private readonly together: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly load: Load<Item>,
  ) {}

  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ item, resolve, reject }) === 1) setImmediate(() => this.flush());
    });
  }

  private flush(): void {
    const all = this.waiting;
    this.waiting = [];
    for (const some of this.divide(all)) void this.settle(some);
  }

  private divide(all: readonly Waiting<Item, Result>[]): Waiting<Item, Result>[][] {
    const { items, weight: most, weigh } = this.load;
    const parts: Waiting<Item, Result>[][] = [];
    let weight = 0;
    for (const one of all) {
      const part = parts.at(-1);
      const own = weigh(one.item);
      weight += own;
      if (part && part.length < items && weight <= most) part.push(one);
      else {
        parts.push([one]);
        weight = own;
      }
    }
    return parts;
  }

  private async settle(some: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.together(some.map(({ item }) => item));
      some.forEach(({ resolve }, n) => resolve(results[n]!));
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}
