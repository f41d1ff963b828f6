import { digestOf, ToolError, type Definition } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { extendExpiry } from '../suspend/suspend-job.js';
import { keys } from '../redis/names.js';

/** Longer than any job waits; a process that uses a definition writes it anew after RENEW_MS. */
const KEEP_SECONDS = 90 * 24 * 3600;
const RENEW_MS = 24 * 3600 * 1000;
const CACHED = 1_000;

/**
 * Definitions by digest: written once by whoever accepts a call, fetched once by each process that runs it.
 * Both sides remember the last thousand.
 */
export class Definitions {
  private readonly written = new Map<string, number>();
  private readonly fetched = new Map<string, Definition>();

  constructor(private readonly queues: Queues) {}

  /** Stores what is not yet stored, in one round trip (none, when all were written lately). */
  async put(definitions: readonly { digest: string; definition: Definition }[]): Promise<void> {
    const now = Date.now();
    const due = definitions.filter(({ digest }) => now - (this.written.get(digest) ?? 0) > RENEW_MS);
    if (due.length === 0) return;
    await Promise.all(
      due.map(async ({ digest, definition }) => {
        const key = keys.definition(digest);
        // One that is kept for longer, for a parked invocation, stays so.
        await Promise.all([
          this.queues.redis.set(key, JSON.stringify(definition), 'EX', KEEP_SECONDS, 'NX'),
          extendExpiry(this.queues.redis, [key], KEEP_SECONDS),
        ]);
        remember(this.written, digest, now);
      }),
    );
  }

  /** @throws ToolError LostError where nobody knows the digest any more, or what is stored is not what it names */
  async get(digest: string): Promise<Definition> {
    const known = this.fetched.get(digest);
    if (known) return known;
    const text = await this.queues.redis.get(keys.definition(digest));
    if (text === null)
      throw new ToolError(
        'LostError',
        `The definition ${digest} of this tool is no longer stored; submit the call again`,
      );
    const definition = JSON.parse(text) as Definition;
    if (digestOf(definition) !== digest)
      throw new ToolError('SecurityError', `What is stored as definition ${digest} is not what was accepted`);
    remember(this.fetched, digest, definition);
    return definition;
  }
}

function remember<T>(cache: Map<string, T>, key: string, value: T): void {
  cache.delete(key);
  cache.set(key, value);
  if (cache.size > CACHED) cache.delete(cache.keys().next().value as string);
}
