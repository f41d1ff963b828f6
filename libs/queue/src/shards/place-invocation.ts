import { newBatchId, newInvocationId } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { shardOfId, withShard } from './shard-of-id.js';
import type { Belonging } from './shard-layout.js';

/** The id of a new invocation, which carries its shard if there are several. With one shard it is there at once. */
export function placeInvocation(queues: Queues, belonging: Belonging): string | Promise<string> {
  return queues.shards ? queues.shards.newId(belonging) : newInvocationId();
}

/** The id of a new batch, which carries the shard of its own data. Its invocations may be in any shard. */
export function placeBatch(queues: Queues, tenant: string, key: string | undefined): string {
  const id = newBatchId();
  if (!queues.shards) return id;
  const place = key === undefined ? queues.shards.next() : (queues.shards.placesOf(tenant, key)[0] ?? queues);
  return place.named(id);
}

/** An id that derives from an invocation, in the shard of that invocation. */
export function placeBeside(invocationId: string, derivedId: string): string {
  const shard = shardOfId(invocationId);
  return shard === undefined ? derivedId : withShard(derivedId, shard);
}
