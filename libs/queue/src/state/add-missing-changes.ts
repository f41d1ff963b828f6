import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { QUEUE_NAMES } from '../redis/queue-names.js';
import { changedKey, statusSetKeys } from './search-index.js';

const ADD = loadScript<string | null>(join(__dirname, 'add-missing-changes.lua'));

/** The members that one command looks at. Redis runs other commands between two. */
const AT_ONCE = 1_000;
const MAX_TENANTS = 10_000;

/** The work of a process: what it adds now by tenant, and how many entries could not be added. */
class MissingChanges {
  private readonly adding = new Map<string, Promise<void>>();
  private readonly unexplained = new LRUCache<string, number>({ max: MAX_TENANTS });

  constructor(private readonly queues: Queues) {}

  async add(tenant: string): Promise<void> {
    const missing = await this.countMissing(tenant);
    if (missing <= (this.unexplained.get(tenant) ?? 0)) return;
    const added = this.adding.get(tenant) ?? this.addAll(tenant).finally(() => this.adding.delete(tenant));
    this.adding.set(tenant, added);
    await added;
  }

  /** Each invocation is in one status set and in the order of changes. Both are counted at the same moment. */
  private async countMissing(tenant: string): Promise<number> {
    const keys = keysOf(this.queues.redis);
    const multi = this.queues.redis.multi().zcard(changedKey(keys, tenant));
    for (const key of statusSetKeys(keys, tenant)) multi.zcard(key);
    const sizes = ((await multi.exec()) ?? []).map(([error, size]) => {
      if (error) throw error;
      return Number(size);
    });
    const [changed = 0, ...statuses] = sizes;
    return statuses.reduce((sum, size) => sum + size, 0) - changed;
  }

  private async addAll(tenant: string): Promise<void> {
    const keys = keysOf(this.queues.redis);
    const jobs = QUEUE_NAMES.map((queue) => keys.job(queue, ''));
    for (const set of statusSetKeys(keys, tenant)) {
      let begin: string | null = '-';
      while (begin !== null) {
        const last: string | null = await ADD.run(
          this.queues.redis,
          [set, changedKey(keys, tenant), keys.changeClock],
          [begin, AT_ONCE, ...jobs],
        );
        begin = last === null ? null : `(${last}`;
      }
    }
    this.unexplained.set(tenant, await this.countMissing(tenant));
  }
}

const INSTANCES = new WeakMap<Queues, MissingChanges>();

/**
 * Completes the order of changes of a tenant with the invocations that an earlier version of Errand accepted. One round trip if it is
 * complete. Otherwise the first caller looks at all invocations of the tenant once, and all callers wait for that.
 */
export async function addMissingChanges(queues: Queues, tenant: string): Promise<void> {
  const missing = INSTANCES.get(queues) ?? new MissingChanges(queues);
  INSTANCES.set(queues, missing);
  await missing.add(tenant);
}
