import { join } from 'node:path';
import { isFinal } from '@errand/contracts';
import { SupersededError } from '../bullmq/held-lock.js';
import { BULL_FIELD } from '../bullmq/layout.js';
import type { Queues } from '../redis/connect.js';
import { storeLargeStep, wholeStep } from '../state/large-results.js';
import { keys, type QueueName } from '../redis/names.js';
import type { StepOutcome } from '../state/record.js';
import { loadScript } from '../redis/lua-script.js';

/** A hash beside the job: field → JSON. */
export type Fields = ReadonlyMap<string, string>;

const WRITE_FENCED = loadScript<0 | 1>(join(__dirname, 'write-fenced.lua'));

/** HSET takes its pairs through Lua's stack, which holds about 8,000 values. */
const PAIRS_AT_ONCE = 2_000;

/** What a run needs to go on from where it stood: `<step>/<node>` → the node's state, whole. One round trip. */
export async function readJournal(queues: Queues, id: string): Promise<Fields> {
  return new Map(Object.entries(await queues.redis.hgetall(keys.journal(id))));
}

/** How an invocation stands while it runs: `<step>` → its outcome, `<step>/<node>` → the node's state, cut; `progress`. */
export async function readState(queues: Queues, id: string): Promise<Fields> {
  return new Map(Object.entries(await queues.redis.hgetall(keys.state(id))));
}

/** How the steps of an invocation stand, by their numbers, with their whole results. */
export async function readSteps(queues: Queues, id: string): Promise<Map<number, StepOutcome>> {
  const fields = [...(await readState(queues, id))].filter(([field]) => /^\d+$/.test(field));
  const steps = fields.map(async ([field, text]) => {
    const whole = await wholeStep(queues.redis, id, JSON.parse(text) as StepOutcome);
    return [Number(field), whole] as const;
  });
  return new Map(await Promise.all(steps));
}

/** What one attempt of a running invocation writes by. Everything rejects with SupersededError once another has begun. */
export class JournalWriter {
  constructor(
    private readonly queues: Queues,
    private readonly queue: QueueName,
    private readonly id: string,
    private readonly attempt: number,
  ) {}

  /** What is finished, into the journal. Returns once the fields are stored: one round trip for up to 2,000 of them. */
  write(fields: readonly (readonly [field: string, value: unknown])[]): Promise<void> {
    return this.writeInto(keys.journal(this.id), fields, true);
  }

  /** How a step stands, likewise: its result, where that is large, beside the state. */
  async writeStep(index: number, outcome: StepOutcome): Promise<void> {
    const owner = { id: this.id, attempt: this.attempt };
    const kept = await storeLargeStep(this.queues.redis, owner, index, outcome);
    await this.writeState(`${index}`, kept, { ended: isFinal(outcome.status) });
  }

  /** How a step or node stands, for those who read the invocation and for the next attempt; `ended`: that is how it stays. */
  writeState(field: string, value: unknown, { ended = false } = {}): Promise<void> {
    return this.writeInto(keys.state(this.id), [[field, value]], ended);
  }

  /**
   * Marks that something begins which may take effect only once. False where an earlier attempt has marked it and never said how
   * it ended: nobody knows what it did.
   */
  async beginOnce(what: string): Promise<boolean> {
    const field = `once:${what}`;
    const begun = await this.queues.redis.hexists(keys.journal(this.id), field);
    if (begun) return false;
    await this.writeInto(keys.journal(this.id), [[field, true]], false);
    return true;
  }

  /** It is known how it ended, without effect: it may begin again. */
  async clearOnce(what: string): Promise<void> {
    await this.queues.redis.hdel(keys.journal(this.id), `once:${what}`);
  }

  /** @throws SupersededError once another attempt has begun */
  async requireCurrent(): Promise<void> {
    const current = await this.queues.redis.hget(keys.job(this.queue, this.id), BULL_FIELD.starts);
    if (current !== String(this.attempt)) throw new SupersededError(this.id);
  }

  private async writeInto(
    hash: string,
    fields: readonly (readonly [field: string, value: unknown])[],
    isProgress: boolean,
  ): Promise<void> {
    for (let from = 0; from < fields.length; from += PAIRS_AT_ONCE) {
      const pairs = fields
        .slice(from, from + PAIRS_AT_ONCE)
        .flatMap(([field, value]) => [field, JSON.stringify(value)]);
      const written = await WRITE_FENCED.run(
        this.queues.redis,
        [hash, keys.job(this.queue, this.id)],
        [this.attempt, this.queues.retention.ageSeconds, isProgress ? 1 : 0, ...pairs],
      );
      if (written !== 1) throw new SupersededError(this.id);
    }
  }
}
