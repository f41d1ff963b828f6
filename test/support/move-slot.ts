import type { RedisProcess } from './redis-processes.js';

const MOVE_MS = 5_000;

interface SlotMove {
  slot: number;
  from: RedisProcess;
  to: RedisProcess;
  /** The other primaries. Replicas learn from theirs. */
  others: readonly RedisProcess[];
}

/** Moves a slot of a Cluster with all its keys, in so many pieces. Calls `between` after each piece. */
export async function moveSlot(
  { slot, from, to, others }: SlotMove,
  between: () => Promise<void>,
  pieces: number,
): Promise<void> {
  const [source, target] = await Promise.all([from, to].map(({ admin }) => admin.cluster('MYID')));
  await to.admin.cluster('SETSLOT', slot, 'IMPORTING', source!);
  await from.admin.cluster('SETSLOT', slot, 'MIGRATING', target!);
  const size = Math.max(1, Math.ceil((await from.admin.cluster('COUNTKEYSINSLOT', slot)) / pieces));
  for (;;) {
    const keys = await from.admin.cluster('GETKEYSINSLOT', slot, size);
    if (keys.length === 0) break;
    await from.admin.migrate('127.0.0.1', to.port, '', 0, MOVE_MS, 'KEYS', ...keys);
    await between();
  }
  // First the new owner, so that no node sends a client to a node that does not know that it has the slot.
  for (const { admin } of [to, from, ...others]) await admin.cluster('SETSLOT', slot, 'NODE', target!);
}
