import { describePause, readPause } from '../pause/pause-queue.js';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { QUEUE_NAMES, type QueueName } from '../redis/queue-names.js';
import type { ListedInvocation } from './list-invocations.js';
import { explainWait } from './queue-status.js';

/** How long the pauses of a shard are not read again: a page and the feed ask for many invocations at once. */
const FRESH_MS = 250;

type Pauses = Awaited<ReturnType<typeof readPause>>[];
const KNOWN = new WeakMap<Queues['redis'], { at: number; pauses: Promise<Pauses> }>();

/**
 * What an open invocation of a list waits for, besides an answer: a paused queue, or a script-runner. Undefined for others. It costs nothing
 * for an invocation that runs or has ended, and next to nothing for a queued one while no queue is paused.
 * @param invocation with its steps as they are now, if it is suspended
 */
export async function explainRow(queues: Queues, invocation: ListedInvocation): Promise<string | undefined> {
  const shard = queues.shardOf(invocation.id);
  if (invocation.isSuspended) return (await explainWait(shard, invocation))?.waitingFor;
  return invocation.status === 'queued' ? explainPause(shard, invocation.id) : undefined;
}

async function explainPause(queues: Queues, id: string): Promise<string | undefined> {
  const pauses = await pausesOf(queues);
  for (const [n, queue] of QUEUE_NAMES.entries()) {
    const pause = pauses[n];
    if (pause && (await isNext(queues, queue, id))) return describePause(queue, pause);
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

function pausesOf({ redis }: Queues): Promise<Pauses> {
  const known = KNOWN.get(redis);
  if (known && Date.now() - known.at < FRESH_MS) return known.pauses;
  const pauses = Promise.all(QUEUE_NAMES.map((queue) => readPause({ redis }, queue)));
  KNOWN.set(redis, { at: Date.now(), pauses });
  return pauses;
}
