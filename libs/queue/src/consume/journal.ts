import { join } from 'node:path';
import { isFinal } from '@errand/contracts';
import { SupersededError } from '../bullmq/held-lock.js';
import { BULL_FIELD } from '../bullmq/layout.js';
import type { Queues } from '../redis/connect.js';
import { storeLargeStep, wholeStep } from '../state/large-results.js';
import { openLife } from '../state/open-life.js';
import { keysOf } from '../redis/names.js';
import type { WorkQueue } from '../redis/queue-names.js';
import type { StepOutcome } from '../state/record.js';
import { loadScript } from '../redis/lua-script.js';
import { withoutBatches, type JournalField } from './journal-batches.js';

/** A hash beside the job: field → JSON. */
export type Fields = ReadonlyMap<string, string>;

const WRITE_FENCED = loadScript<0 | 1>(join(__dirname, 'write-fenced.lua'));

/** HSET takes its pairs through Lua's stack, which holds about 8,000 values. */
const PAIRS_AT_ONCE = 2_000;

/** The journal of a run, from which it continues: `<step>/<node>` → the whole state of the node. One round trip. */
export async function readJournal(queues: Queues, id: string): Promise<Fields> {
  const keys = keysOf(queues.redis);
  return withoutBatches(await queues.redis.hgetall(keys.journal(id)));
}

/** The value of one field of the journal, which is no outcome of a node; undefined if it is absent. */
export async function readJournalField(queues: Queues, id: string, field: string): Promise<unknown> {
  const keys = keysOf(queues.redis);
  const text = await queues.redis.hget(keys.journal(id), field);
  return text === null ? undefined : JSON.parse(text);
}

/** The state of a running invocation: `<step>` → its outcome, `<step>/<node>` → the shortened state of the node, and `progress`. */
export async function readState(queues: Queues, id: string): Promise<Fields> {
  const keys = keysOf(queues.redis);
  return new Map(Object.entries(await queues.redis.hgetall(keys.state(id))));
}

/** The outcomes of the steps so far by step number, with whole results. */
export async function readSteps(queues: Queues, id: string): Promise<Map<number, StepOutcome>> {
  const fields = [...(await readState(queues, id))].filter(([field]) => /^\d+$/.test(field));
  const steps = fields.map(async ([field, text]) => {
    const whole = await wholeStep(queues.redis, id, JSON.parse(text) as StepOutcome);
    return [Number(field), whole] as const;
  });
  return new Map(await Promise.all(steps));
}

/** Whether a write resets the count of deaths, and the operation that may begin again with it. */
interface WriteKind {
  isProgress: boolean;
  ended?: string;
}

/** The field of the journal that says that an operation has begun and that its outcome is unknown. */
function onceField(operation: string): string {
  return `once:${operation}`;
}

/** Writes the journal and the state for one attempt. Every write rejects with SupersededError after another attempt has begun. */
export class JournalWriter {
  private readonly queues: Queues;

  constructor(
    queues: Queues,
    private readonly queue: WorkQueue,
    private readonly id: string,
    private readonly attempt: number,
  ) {
    this.queues = queues.shardOf(id);
  }

  /**
   * Writes finished work to the journal. Resolves when it is stored. One round trip for up to 2,000 fields.
   * @param ended an operation that may begin again, from the moment at which the fields are stored
   */
  write(fields: readonly JournalField[], ended?: string): Promise<void> {
    const keys = keysOf(this.queues.redis);
    return this.writeInto(keys.journal(this.id), fields, { isProgress: true, ...(ended !== undefined && { ended }) });
  }

  /** A field of the journal, which is no outcome of a node; undefined if it is not written. Its value is what `write` got. */
  async read(field: string): Promise<unknown> {
    const keys = keysOf(this.queues.redis);
    const text = await this.queues.redis.hget(keys.journal(this.id), field);
    return text === null ? undefined : JSON.parse(text);
  }

  /** Writes the outcome of a step to the state. A large result is stored beside it. */
  async writeStep(index: number, outcome: StepOutcome): Promise<void> {
    const owner = { id: this.id, attempt: this.attempt };
    const stored = await storeLargeStep(this.queues.redis, owner, index, outcome);
    await this.writeState(`${index}`, stored, { ended: isFinal(outcome.status) });
  }

  /** Writes the state of a step or node, for clients and the next attempt. `ended` says that it is final. */
  writeState(field: string, value: unknown, { ended = false } = {}): Promise<void> {
    const keys = keysOf(this.queues.redis);
    return this.writeInto(keys.state(this.id), [[field, value]], { isProgress: ended });
  }

  /**
   * Records that an operation begins that may take effect only once. Returns false if an earlier attempt has begun it and its outcome is
   * unknown.
   */
  async beginOnce(operation: string): Promise<boolean> {
    const keys = keysOf(this.queues.redis);
    const field = onceField(operation);
    const begun = await this.queues.redis.hexists(keys.journal(this.id), field);
    if (begun) return false;
    await this.writeInto(keys.journal(this.id), [[field, true]], { isProgress: false });
    return true;
  }

  /** The operation ended without an effect, so it may begin again. */
  async clearOnce(operation: string): Promise<void> {
    const keys = keysOf(this.queues.redis);
    await this.writeFenced(keys.journal(this.id), { isProgress: false, ended: operation }, []);
  }

  /** @throws SupersededError if another attempt has begun */
  async requireCurrent(): Promise<void> {
    const keys = keysOf(this.queues.redis);
    const current = await this.queues.redis.hget(keys.job(this.queue, this.id), BULL_FIELD.starts);
    if (current !== String(this.attempt)) throw new SupersededError(this.id);
  }

  private async writeInto(hash: string, fields: readonly JournalField[], kind: WriteKind): Promise<void> {
    for (let from = 0; from < fields.length; from += PAIRS_AT_ONCE) {
      const pairs = fields
        .slice(from, from + PAIRS_AT_ONCE)
        .flatMap(([field, value]) => [field, JSON.stringify(value)]);
      await this.writeFenced(hash, kind, pairs);
    }
  }

  private async writeFenced(hash: string, { isProgress, ended }: WriteKind, pairs: readonly string[]): Promise<void> {
    const keys = keysOf(this.queues.redis);
    const written = await WRITE_FENCED.run(
      this.queues.redis,
      [hash, keys.job(this.queue, this.id)],
      [
        this.attempt,
        openLife(this.queues.retention),
        isProgress ? 1 : 0,
        ended === undefined ? '' : onceField(ended),
        ...pairs,
      ],
    );
    if (written !== 1) throw new SupersededError(this.id);
  }
}
