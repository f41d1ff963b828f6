import { join } from 'node:path';
import { isObject, type QueuePause } from '@errand/contracts';
import type { Redis } from 'ioredis';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { DELIVERIES, type WorkQueue } from '../redis/queue-names.js';

const PAUSE = loadScript<0 | 1>(join(__dirname, 'pause-queue.lua'));
const RESUME = loadScript<0 | 1>(join(__dirname, 'resume-queue.lua'));

/** The field of BullMQ's meta that every script which takes jobs looks at. Its text is the pause as JSON; BullMQ writes `1`. */
const PAUSED = 'paused';

export type QueueOfWork = WorkQueue | typeof DELIVERIES;

const metaOf = (redis: Redis, queue: QueueOfWork) => `${keysOf(redis).job(queue, '')}meta`;

/** Pauses a queue: no job of it starts any more, and running jobs go on. A queue that is paused keeps its first pause. One command. */
export async function pauseQueue({ redis }: { redis: Redis }, queue: QueueOfWork, pause: QueuePause): Promise<void> {
  await PAUSE.run(redis, [metaOf(redis, queue), keysOf(redis).set(queue, 'marker')], [JSON.stringify(pause)]);
}

/** Ends the pause of a queue, if it has one. One command. */
export async function resumeQueue({ redis }: { redis: Redis }, queue: QueueOfWork): Promise<void> {
  await RESUME.run(redis, [metaOf(redis, queue), keysOf(redis).set(queue, 'marker')], []);
}

/** The pause of a queue. One command. */
export async function readPause({ redis }: { redis: Redis }, queue: QueueOfWork): Promise<QueuePause | null> {
  const text = await redis.hget(metaOf(redis, queue), PAUSED);
  return text === null ? null : parsePause(text);
}

/** The pause with the earliest known time, of those of several shards. */
export function firstPause(pauses: readonly (QueuePause | null)[]): QueuePause | null {
  const known = pauses.filter((pause) => pause !== null);
  return known.toSorted((a, b) => (a.at ?? '~').localeCompare(b.at ?? '~'))[0] ?? null;
}

/** What a pause says to people: who paused, since when and why. */
export function describePause(queue: string, { at, by, note }: QueuePause): string {
  const who = `${by === null ? '' : ` by ${by}`}${at === null ? '' : ` since ${at}`}`;
  return `the queue '${queue}', which is paused${who}${note === null ? '' : `: ${note}`}`;
}

function parsePause(text: string): QueuePause {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    // Another program has written the field.
  }
  const { at, by, note } = isObject(found) ? found : {};
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
  return { at: textOf(at), by: textOf(by), note: textOf(note) };
}
