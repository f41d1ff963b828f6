import { Worker } from 'bullmq';
import { errandBackend, type BackendUse } from '../src/bullmq/errand-backend.js';
import { LockKeeper } from '../src/bullmq/lock-keeper.js';
import { PREFIX } from '../src/redis/names.js';
import { DELIVERIES, type WorkQueue } from '../src/redis/queue-names.js';
import { openConnection } from '../src/redis/primary-redis.js';
import type { InvocationRecord } from '../src/state/record.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A BullMQ worker that takes jobs only when it is told to. It closes after the test. */
export function idleWorker(
  url: string,
  queue: WorkQueue | typeof DELIVERIES,
  { lockMs = 60_000, fair }: { lockMs?: number; fair?: BackendUse['fair'] } = {},
): Worker<InvocationRecord> {
  const connection = openConnection(url, 'patient');
  const locks = new LockKeeper(connection, queue, lockMs, { lost: () => {}, error: () => {} });
  const options = { connection, prefix: PREFIX, autorun: false, lockDuration: lockMs, skipLockRenewal: true };
  const backend = errandBackend({ isIndexed: queue !== DELIVERIES, locks, fair });
  const worker = new Worker<InvocationRecord>(queue, async () => {}, options, backend);
  worker.on('error', () => {});
  closing.push(async () => {
    locks.close();
    await worker.close();
    connection.disconnect();
  });
  return worker;
}
