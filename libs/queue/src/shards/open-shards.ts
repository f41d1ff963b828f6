import { InvocationQueue, Queues, type QueueBounds, type Retention } from '../redis/connect.js';
import { openConnection, type ConnectionKind } from '../redis/primary-redis.js';
import type { QueueName } from '../redis/queue-names.js';
import { recordedCount, type Place, type ShardLayout } from './shard-layout.js';
import { keyspaceOf, ShardSet } from './shard-set.js';

/**
 * Opens the keyspaces of a layout beside that of `root`. Returns undefined for one shard. The bounds of all shards together are those of one:
 * each has its part of them, also after the number of shards has grown.
 */
export function openShards(url: string, kind: ConnectionKind, root: Queues, layout: ShardLayout): ShardSet | undefined {
  if (layout.length === 1 && recordedCount(layout) === 1) return undefined;
  const part = (bound: number) => Math.ceil(bound / recordedCount(root.shards?.present ?? layout));
  const retention: Retention = {
    ...root.retention,
    get count() {
      return part(root.retention.count);
    },
  };
  const bounds: QueueBounds = {
    get waiting() {
      return part(root.bounds.waiting);
    },
    get delayed() {
      return part(root.bounds.delayed);
    },
  };
  return new ShardSet(root, layout, (place: Place) => {
    const redis = openConnection(url, kind, keyspaceOf(place), root.redis.replyMs);
    const open = (name: QueueName) => new InvocationQueue(name, { connection: redis, prefix: redis.keyspace });
    const byName = { invocations: open('invocations'), scripts: open('scripts') };
    const { sessions, priorityScope, minReplicas, storesPlainOptions } = root;
    const rules = { priorityScope, minReplicas, storesPlainOptions, place };
    const queues = new Queues(redis, byName, retention, bounds, sessions, rules);
    queues.events.on('accepted', (tools, invocation) => root.events.emit('accepted', tools, invocation));
    queues.events.on('ended', (ended) => root.events.emit('ended', ended));
    return queues;
  });
}
