import { join } from 'node:path';
import { timeOfInvocationId, type BatchCounts } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { QUEUE_NAMES } from '../redis/queue-names.js';
import { openLife } from './open-life.js';
import { isInReach, type TenantReach } from './tenant-reach.js';

/** The outcome of the items of a batch. */
export interface NewBatch {
  id: string;
  tenant: string;
  /** The ids of the invocations whose record names this batch. */
  own: readonly string[];
  /** The ids of invocations that earlier requests made with the idempotency keys of items. */
  others: readonly string[];
  refused: number;
  /** The number of texts without a call. */
  noAction: number;
  /** The longest delay of its invocations, in ms. */
  delayMs: number;
}

/** A batch as it is now. */
export interface StoredBatch {
  id: string;
  tenant: string;
  /** ISO 8601. */
  createdAt: string;
  counts: BatchCounts;
  /** The ids of the invocations that have not ended. */
  open: string[];
}

const STORE = loadScript<null>(join(__dirname, 'store-batch.lua'));
const READ = loadScript<[tenant: string, counts: string, open: string[]] | null>(join(__dirname, 'read-batch.lua'));

/**
 * Stores a batch. A repeated request with the same idempotency key stores it again. One command. An open batch lives as
 * long as its longest delay, and then as the data of an open invocation. Each read of it starts the latter time again.
 * @throws LateReplicasError if too few replicas have confirmed that
 */
export async function storeBatch({ redis, retention, replicas }: Queues, batch: NewBatch): Promise<void> {
  const keys = keysOf(redis);
  const { server } = replicas;
  const { id, tenant, own, others, refused, noAction, delayMs } = batch;
  const whileOpen = openLife(retention) + Math.ceil(delayMs / 1_000);
  const counts = [tenant, refused, noAction, others.join(' ')];
  await STORE.run(redis, [keys.batch(id)], [...counts, whileOpen, retention.ageSeconds, ...own]);
  await replicas.confirm(server);
}

/**
 * Reads a batch. Returns undefined if it does not exist, or belongs to a tenant out of reach. One command, which looks at each invocation of
 * the batch.
 */
export async function readBatch(
  { redis, retention }: Queues,
  reach: TenantReach,
  id: string,
): Promise<StoredBatch | undefined> {
  const keys = keysOf(redis);
  const jobs = QUEUE_NAMES.map((queue) => keys.job(queue, ''));
  const read = await READ.run(redis, [keys.batch(id)], [openLife(retention), ...jobs]);
  if (!read) return undefined;
  const [tenant, counts, open] = read;
  if (!isInReach(reach, tenant)) return undefined;
  const createdAt = new Date(timeOfInvocationId(id) ?? 0).toISOString();
  return { id, tenant, createdAt, counts: JSON.parse(counts) as BatchCounts, open };
}
