import type { BatchCounts } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { readBatch as read, storeBatch as store, type NewBatch, type StoredBatch } from '../state/batches.js';
import type { TenantReach } from '../state/tenant-reach.js';

/** Stores a batch: in each shard its invocations there, and in the shard of its id the rest. @throws as for one shard */
export async function storeBatch(queues: Queues, batch: NewBatch): Promise<void> {
  if (!queues.shards) return store(queues, batch);
  const home = queues.shardOf(batch.id);
  const parts = new Map<Queues, { own: string[]; others: string[] }>([[home, { own: [], others: [] }]]);
  for (const kind of ['own', 'others'] as const)
    for (const id of batch[kind]) {
      const shard = queues.shardOf(id);
      const part = parts.get(shard) ?? { own: [], others: [] };
      part[kind].push(id);
      parts.set(shard, part);
    }
  await Promise.all(
    [...parts].map(([shard, part]) =>
      store(shard, { ...batch, ...part, ...(shard !== home && { refused: 0, noAction: 0 }) }),
    ),
  );
}

/** Reads a batch from all shards. @throws Error if one does not answer: its counts would be wrong */
export async function readBatch(queues: Queues, reach: TenantReach, id: string): Promise<StoredBatch | undefined> {
  if (!queues.shards) return read(queues, reach, id);
  const found = await Promise.all(queues.shards.all.map((shard) => read(shard, reach, id)));
  const parts = found.filter((part) => part !== undefined);
  const [first] = parts;
  if (!first) return undefined;
  const counts = parts.map((part) => part.counts).reduce(sumOf);
  return { ...first, counts, open: parts.flatMap(({ open }) => open) };
}

function sumOf(a: BatchCounts, b: BatchCounts): BatchCounts {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same names as in `a`
  return Object.fromEntries(
    Object.entries(a).map(([name, value]) => [name, value + b[name as keyof BatchCounts]]),
  ) as BatchCounts;
}
