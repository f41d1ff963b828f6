import { digestOf, ToolError, type Definition } from '@errand/contracts';
import { LRUCache } from 'lru-cache';
import type { Queues } from '../redis/connect.js';
import { extendExpiry } from '../suspend/suspend-job.js';
import { keysOf } from '../redis/names.js';

/** Longer than any job waits. A process that uses a definition writes it again after RENEW_MS. */
const KEEP_SECONDS = 90 * 24 * 3600;
const RENEW_MS = 24 * 3600 * 1000;
const MAX_CACHED = 1_000;

/** A definition to store. For an agent, `inventory` has those of the tools that its turns may call. */
export interface StoredDefinition {
  digest: string;
  definition: Definition;
  inventory?: readonly StoredDefinition[];
}

/**
 * Definitions by digest. A process writes a definition when it accepts a call, and fetches it once to run it. It caches the last thousand
 * of both.
 */
export class Definitions {
  private readonly written = new LRUCache<string, true>({ max: MAX_CACHED, ttl: RENEW_MS });
  private readonly fetched = new LRUCache<string, Definition>({ max: MAX_CACHED });

  constructor(private readonly queues: Queues) {}

  /**
   * Stores the definitions that this process has not written recently, in one round trip. An inventory is stored before
   * its agent, in one more. Without an inventory, the tools of an agent are stored already and get a longer expiry.
   */
  async put(definitions: readonly StoredDefinition[]): Promise<void> {
    const due = definitions.filter(({ digest }) => !this.isWritten(digest));
    if (due.length === 0) return;
    const ofAgents = new Map(due.flatMap(({ inventory = [] }) => inventory).map((each) => [each.digest, each]));
    await this.put([...ofAgents.values()]);
    await Promise.all(
      due.map(async (each) => {
        if (await this.write(each)) this.written.set(each.digest, true);
      }),
    );
  }

  /**
   * Writes a definition to each keyspace that gets new work: its calls may come to any of them. Returns false if some were away, so that the
   * next call writes it again. @throws the error of the first one if all were away
   */
  private async write({ digest, definition, inventory }: StoredDefinition): Promise<boolean> {
    const places = this.queues.shards?.current ?? [this.queues];
    const tools = inventory ? [] : digestsOfTools(definition);
    const written = await Promise.allSettled(
      places.map(({ redis }) => {
        const keys = keysOf(redis);
        const [key, ...known] = [digest, ...tools].map((each) => keys.definition(each));
        // A suspended invocation may have extended the expiry further. It must not become shorter.
        return Promise.all([
          redis.set(key ?? '', JSON.stringify(definition), 'EX', KEEP_SECONDS, 'NX'),
          extendExpiry(redis, [key ?? '', ...known], KEEP_SECONDS),
        ]);
      }),
    );
    const [failed] = written.filter((one) => one.status === 'rejected');
    if (failed && written.every(({ status }) => status === 'rejected')) throw failed.reason;
    return failed === undefined;
  }

  /** Whether this process has written a definition recently, so that `put` does nothing for it. */
  isWritten(digest: string): boolean {
    return this.written.has(digest);
  }

  /** @throws ToolError LostError if the definition is not stored any more; SecurityError if it does not match the digest */
  async get(digest: string): Promise<Definition> {
    const known = this.fetched.get(digest);
    if (known) return known;
    const text = await this.read(digest);
    if (text === null)
      throw new ToolError(
        'LostError',
        `The definition ${digest} of this tool is no longer stored; submit the call again`,
      );
    const definition = JSON.parse(text) as Definition;
    if (digestOf(definition) !== digest)
      throw new ToolError('SecurityError', `The stored definition ${digest} differs from the accepted one`);
    this.fetched.set(digest, definition);
    return definition;
  }

  /** Looks in each keyspace until one has it. @throws the error of one that was away if no other has it */
  private async read(digest: string): Promise<string | null> {
    let problem: unknown;
    for (const { redis } of this.queues.shards?.all ?? [this.queues]) {
      try {
        const text = await redis.get(keysOf(redis).definition(digest));
        if (text !== null) return text;
      } catch (error) {
        problem = error;
      }
    }
    if (problem !== undefined) throw problem;
    return null;
  }
}

function digestsOfTools({ agent }: Definition): string[] {
  return (agent?.tools ?? []).flatMap(({ digest }) => digest ?? []);
}
