import type { Queues } from './connect.js';
import { keys, type QueueName } from './names.js';

/** Field of a journal → JSON. `<step>`: a step's outcome. `<step>/<node>`: a node's. */
export type JournalFields = ReadonlyMap<string, string>;

export const PROGRESS_FIELD = 'progress';

/**
 * Writes fields only while the writer still holds the attempt that it began with, and keeps the journal as long as its invocation.
 *
 * KEYS: 1 journal, 2 job.  ARGV: 1 attempt, 2 seconds to keep, then field, value, …
 * Returns 1 if written, 0 if another attempt has begun (a paused process woke up: what it has to say is void).
 */
const WRITE_FENCED = `
if redis.call('HGET', KEYS[2], 'ats') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1`;

/** HSET takes its pairs through Lua's stack, which holds about 8,000 values. */
const PAIRS_AT_ONCE = 2_000;

/** All that is written of an invocation; empty for most. One round trip. */
export async function readJournal(queues: Queues, id: string): Promise<JournalFields> {
  return new Map(Object.entries(await queues.redis.hgetall(keys.journal(id))));
}

/** What a step or node of a running invocation is written by. */
export class JournalWriter {
  constructor(
    private readonly queues: Queues,
    private readonly queue: QueueName,
    private readonly id: string,
    private readonly attempt: number,
  ) {}

  /**
   * Returns once the fields are stored.
   * @throws Error where this attempt has been superseded: the caller must stop
   */
  async write(fields: readonly (readonly [field: string, value: unknown])[]): Promise<void> {
    for (let from = 0; from < fields.length; from += PAIRS_AT_ONCE) {
      const pairs = fields
        .slice(from, from + PAIRS_AT_ONCE)
        .flatMap(([field, value]) => [field, JSON.stringify(value)]);
      const written = await this.queues.redis.eval(
        WRITE_FENCED,
        2,
        keys.journal(this.id),
        keys.job(this.queue, this.id),
        this.attempt,
        this.queues.retention.ageSeconds,
        ...pairs,
      );
      if (written !== 1) throw new SupersededError(this.id, this.attempt);
    }
  }
}

/** Another process has taken the job over; whatever this one still finds out does not count. */
export class SupersededError extends Error {
  constructor(id: string, attempt: number) {
    super(`Attempt ${attempt} of ${id} has been superseded by a later one`);
    this.name = 'SupersededError';
  }
}
