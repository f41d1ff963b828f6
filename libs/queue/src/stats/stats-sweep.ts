import { readQueue } from '../fair/read-queues.js';
import type { Queues } from '../redis/connect.js';
import { readQueueDepths } from '../state/queue-status.js';
import { EVERY_TENANT } from '../state/tenant-reach.js';
import { appendToLog, EVERYBODY, foldLog, type LogEntry } from './stats-log.js';

const SAMPLE_MS = 10_000;
/** The depths of so many tenants of a queue are noted. */
const TENANTS = { cursor: '0', limit: 200 };

/** Folds the log of statistics, and notes the depths of the queues every 10 s. */
export class StatsSweep {
  private sampledAt = 0;

  constructor(private readonly queues: Queues) {}

  /** @throws any error of Redis */
  async sweep(now = Date.now()): Promise<void> {
    if (now - this.sampledAt >= SAMPLE_MS) {
      this.sampledAt = now;
      await noteDepths(this.queues, now);
    }
    await foldLog(this.queues);
  }
}

/** Notes what waits in each queue at `now` (ms): as a whole, and of each tenant that waits. */
export async function noteDepths(queues: Queues, now: number): Promise<void> {
  const depths = await readQueueDepths(queues);
  const entries = depths.map(({ queue, jobs, oldestMs }): LogEntry => {
    return { kind: 'depth', at: now, tenant: EVERYBODY, queue, depth: jobs.waiting, oldestMs };
  });
  const busy = depths.filter(({ jobs }) => jobs.waiting > 0);
  const shown = await Promise.all(busy.map(({ queue }) => readQueue(queues, queue, EVERY_TENANT, TENANTS)));
  for (const { name, tenants } of shown)
    for (const { tenant, waiting, oldestMs } of tenants)
      if (waiting > 0) entries.push({ kind: 'depth', at: now, tenant, queue: name, depth: waiting, oldestMs });
  await appendToLog(queues, entries);
}
