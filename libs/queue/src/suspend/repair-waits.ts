import { join } from 'node:path';
import { isInvocationId } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { QUEUE_NAMES, type QueueName } from '../redis/queue-names.js';
import { readJob } from '../state/stored-job.js';
import { waitsOf } from './wait-index.js';

const FIND_MISSING = loadScript<number[]>(join(__dirname, 'find-missing-waits.lua'));
const ADD = loadScript<null>(join(__dirname, 'add-waits.lua'));

/** The delayed jobs that one command looks at, and the most of one repair. The next repair goes on behind them. */
const AT_ONCE = 500;
const MOST = 10_000;

/**
 * Adds the waits that the index lacks. The scripts that suspend a job write the index, so only the waits of an earlier version of Errand,
 * or keys that were changed by hand, need this.
 */
export class WaitRepair {
  private readonly cursors = new Map<QueueName, string>();

  constructor(private readonly queues: Queues) {}

  /** Looks at up to 10,000 suspended jobs of each queue and returns the number of those that were added. */
  async run(): Promise<number> {
    let added = 0;
    for (const queue of QUEUE_NAMES) {
      for (let looked = 0; looked < MOST; looked += AT_ONCE) {
        const ids = await this.next(queue);
        added += await this.repair(queue, ids);
        if (this.cursors.get(queue) === '0') break;
      }
    }
    return added;
  }

  /** The invocations among the next delayed jobs. */
  private async next(queue: QueueName): Promise<string[]> {
    const { redis } = this.queues;
    const cursor = this.cursors.get(queue) ?? '0';
    const [next, found] = await redis.zscan(keysOf(redis).set(queue, 'delayed'), cursor, 'COUNT', AT_ONCE);
    this.cursors.set(queue, next);
    return found.filter((id, n) => n % 2 === 0 && isInvocationId(id));
  }

  private async repair(queue: QueueName, ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0;
    const { redis } = this.queues;
    const keys = keysOf(redis);
    const missing = await FIND_MISSING.run(
      redis,
      ids.map((id) => keys.job(queue, id)),
      [],
    );
    let added = 0;
    for (const number of missing) {
      const id = ids[number - 1] ?? '';
      const job = await readJob(this.queues, id, [queue]);
      const state = new Map(Object.entries(await redis.hgetall(keys.state(id))));
      const waits = job ? waitsOf(keys, { id, tenant: job.data.tenant }, state) : '';
      if (waits === '') continue;
      await ADD.run(redis, [keys.job(queue, id)], [waits]);
      added += 1;
    }
    return added;
  }
}
