import { describePause, readPause } from '../pause/pause-queue.js';
import { countConsumers } from '../consume/heartbeats.js';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { labelOf, QUEUE_NAMES, type QueueName, type WorkQueue } from '../redis/queue-names.js';

/** How long the halts of a shard are not read again: a page and the feed ask for many invocations at once. */
const FRESH_MS = 250;

/** The last scripts of an invocation, among which one that waits is looked for. */
const MOST_CHILDREN = 100;

/** The kind of process that takes the jobs of a queue. */
export const CONSUMER: Record<QueueName, string> = { invocations: 'worker', scripts: 'script-runner' };

/** The queues that start no job now, each with what its jobs wait for. */
type Halts = ReadonlyMap<WorkQueue, string>;
const KNOWN = new WeakMap<Queues['redis'], { at: number; halts: Promise<Halts> }>();

/** The queues of a shard that are paused, or from which no process takes jobs. It is up to 250 ms old. */
export function haltedQueues(queues: Queues): Promise<Halts> {
  const known = KNOWN.get(queues.redis);
  if (known && Date.now() - known.at < FRESH_MS) return known.halts;
  const halts = readHalts(queues);
  KNOWN.set(queues.redis, { at: Date.now(), halts });
  return halts;
}

/** What a job waits for if no process takes jobs of its queue. */
export function noConsumer(queue: WorkQueue): string {
  const label = labelOf(queue);
  const consumer = label === undefined ? CONSUMER[queue as QueueName] : `script-runner that offers '${label}'`;
  return `a ${consumer}: none is alive`;
}

/**
 * For an invocation with a script in a queue that starts none: what the script waits for. The runner of the script may have died. Reads nothing
 * of the invocation while no queue of scripts is halted.
 */
export async function explainHaltedScript(queues: Queues, id: string): Promise<string | undefined> {
  const halts = await haltedQueues(queues);
  if (![...halts.keys()].some(isOfScripts)) return undefined;
  const { redis } = queues;
  const keys = keysOf(redis);
  const children = Object.entries(await redis.hgetall(keys.children(id))) as [string, WorkQueue][];
  const halted = children.filter(([, queue]) => isOfScripts(queue) && halts.has(queue)).slice(-MOST_CHILDREN);
  const waits = await Promise.all(halted.map(([child, queue]) => isWaiting(queues, child, queue)));
  const [, queue] = halted[waits.indexOf(true)] ?? [];
  return queue && halts.get(queue);
}

const isOfScripts = (queue: WorkQueue) => queue === 'scripts' || labelOf(queue) !== undefined;

/** Whether a script has not ended and no script-runner holds it. */
async function isWaiting({ redis }: Queues, child: string, queue: WorkQueue): Promise<boolean> {
  const keys = keysOf(redis);
  const [[name, ended], locked] = await Promise.all([
    redis.hmget(keys.job(queue, child), 'name', 'finishedOn'),
    redis.exists(keys.lock(queue, child)),
  ]);
  return typeof name === 'string' && ended === null && locked === 0;
}

async function readHalts(queues: Queues): Promise<Halts> {
  const all: WorkQueue[] = [...QUEUE_NAMES, ...(await queues.labelled())];
  const reasons = await Promise.all(all.map((queue) => haltOf(queues, queue)));
  return new Map(all.flatMap((queue, n) => (reasons[n] === undefined ? [] : [[queue, reasons[n]] as const])));
}

async function haltOf({ redis }: Queues, queue: WorkQueue): Promise<string | undefined> {
  const [pause, consumers] = await Promise.all([readPause({ redis }, queue), countConsumers(redis, queue)]);
  if (pause) return describePause(queue, pause);
  return consumers === 0 ? noConsumer(queue) : undefined;
}
