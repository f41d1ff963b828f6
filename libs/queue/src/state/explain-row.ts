import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { QUEUE_NAMES, type QueueName } from '../redis/queue-names.js';
import { explainHaltedScript, haltedQueues } from './halted-queues.js';
import type { ListedInvocation } from './list-invocations.js';
import { explainWait } from './queue-status.js';

/**
 * Says why an open invocation of a list does not go on: it waits for a script-runner, its queue is paused, or its queue has no consumer.
 * Undefined if it runs, has ended or waits for an answer. Next to nothing is read while every queue starts its jobs.
 * @param invocation with its steps as they are now, if it is suspended
 */
export async function explainRow(queues: Queues, invocation: ListedInvocation): Promise<string | undefined> {
  const { id, status, isSuspended } = invocation;
  const shard = queues.shardOf(id);
  if (isSuspended) return (await explainWait(shard, invocation))?.waitingFor;
  if (status === 'running') return explainHaltedScript(shard, id);
  return status === 'queued' ? explainHaltedQueue(shard, id) : undefined;
}

async function explainHaltedQueue(queues: Queues, id: string): Promise<string | undefined> {
  const halts = await haltedQueues(queues);
  for (const queue of QUEUE_NAMES) {
    const reason = halts.get(queue);
    if (reason !== undefined && (await isNext(queues, queue, id))) return reason;
  }
  return undefined;
}

/** A delayed job waits for its time first. */
async function isNext({ redis }: Queues, queue: QueueName, id: string): Promise<boolean> {
  const keys = keysOf(redis);
  const [known, due] = await Promise.all([
    redis.exists(keys.job(queue, id)),
    redis.zscore(keys.set(queue, 'delayed'), id),
  ]);
  return known === 1 && due === null;
}
