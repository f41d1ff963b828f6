import { join } from 'node:path';
import type { JobInHand } from '@errand/contracts';
import { describeJob } from '../processes/jobs-in-hand.js';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { DELIVERIES, type WorkQueue } from '../redis/queue-names.js';
import { askAll } from '../shards/ask-all.js';
import { EVERY_TENANT, type TenantReach } from '../state/tenant-reach.js';

const LIST = loadScript<[id: string, name: string, since: string][]>(join(__dirname, 'list-next.lua'));
const MOST = 20;

/** The jobs of a queue that start next, as far as it is known now: up to 20. With several shards, the oldest ones of all shards. */
export async function nextJobs(
  queues: Queues,
  queue: WorkQueue | typeof DELIVERIES,
  reach: TenantReach,
): Promise<JobInHand[]> {
  const tenant = reach === EVERY_TENANT ? '' : reach;
  const { answers } = await askAll(queues.shards?.all ?? [queues], ({ redis }) =>
    LIST.run(redis, [keysOf(redis).job(queue, '')], [MOST, tenant]),
  );
  const jobs = answers.flat().map(([id, name, since]) => describeJob(id, queue === DELIVERIES ? '' : name, since));
  return (answers.length > 1 ? jobs.toSorted((a, b) => (a.since < b.since ? -1 : 1)) : jobs).slice(0, MOST);
}
