import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { partialOf, type ProcessList, type ProcessState, type ShownProcess } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { notifyProcesses } from '../redis/channels.js';
import { LATE_MS } from '../consume/heartbeats.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { drainOf } from '../redis/notification-names.js';
import { EVERY_TENANT, type TenantReach } from '../state/tenant-reach.js';
import { readJobsInHand, readJobsLeft, type JobsInHand } from './jobs-in-hand.js';
import { MOST_KEPT, type StoredBeat } from './process-beat.js';

const DRAIN = loadScript<0 | 1>(join(__dirname, 'drain-process.lua'));
/** How long an answer of a process that must drain is waited for, and how often it is looked for (ms). */
const DRAIN_MS = 2_000;
const ASK_MS = 20;
/** The order of the kinds in the list. */
const KINDS = ['api', 'worker', 'runner'];

/** A stored process. */
interface KnownProcess {
  id: string;
  beat: StoredBeat;
  seenAt: number;
  state: ProcessState;
}

/** Reads all processes: those that live, and those that were lost in the last hour. Jobs of tenants out of reach are left out. */
export async function listProcesses(queues: Queues, reach: TenantReach): Promise<ProcessList> {
  const { redis } = queues;
  const [ids, now] = await Promise.all([redis.zrevrange(keysOf(redis).processes, 0, MOST_KEPT - 1), timeOf(redis)]);
  const known = await Promise.all(ids.map((id) => readProcess(queues, id, now)));
  const [jobs, found] = [await readJobsInHand(queues, reach), known.filter((one) => one !== undefined)];
  const items = await Promise.all(found.map((one) => show(queues, one, jobs, reach)));
  const rank = ({ kind, startedAt }: ShownProcess) => `${KINDS.indexOf(kind)} ${startedAt}`;
  items.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return { items, nextCursor: null, ...partialOf(jobs.missing) };
}

/** Reads one process. Undefined if there was none of this id in the last hour. */
export async function findProcess(queues: Queues, id: string, reach: TenantReach): Promise<ShownProcess | undefined> {
  const known = await readProcess(queues, id, await timeOf(queues.redis));
  return known && show(queues, known, await readJobsInHand(queues, reach), reach);
}

/**
 * Asks a process to drain, by a notification. A process that misses it reads the request at its next heartbeat. Resolves when the process says that
 * it takes nothing new, or after two seconds.
 * @param by the subject that asks
 */
export async function drainProcess({ redis }: Queues, id: string, by: string): Promise<void> {
  const keys = keysOf(redis);
  await DRAIN.run(redis, [keys.process(id)], [JSON.stringify({ at: new Date().toISOString(), by })]);
  await notifyProcesses(redis, drainOf(id));
  for (let waitedMs = 0; waitedMs < DRAIN_MS; waitedMs += ASK_MS) {
    const text = await redis.hget(keys.process(id), 'text');
    if (text === null || readBeat(text).isDraining) return;
    await sleep(ASK_MS);
  }
}

/** The clock of Redis in ms. */
async function timeOf(redis: Queues['redis']): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
}

async function readProcess({ redis }: Queues, id: string, now: number): Promise<KnownProcess | undefined> {
  const [text, seen, drain] = await redis.hmget(keysOf(redis).process(id), 'text', 'seen', 'drain');
  if (typeof text !== 'string') return undefined;
  const beat = readBeat(text);
  const isLost = now - Number(seen) > beat.lockMs + LATE_MS;
  const isDraining = beat.isDraining || typeof drain === 'string';
  return { id, beat, seenAt: Number(seen), state: isLost ? 'lost' : isDraining ? 'draining' : 'ready' };
}

function readBeat(text: string): StoredBeat {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ProcessBeat has written it
  return JSON.parse(text) as StoredBeat;
}

async function show(
  queues: Queues,
  { id, beat, seenAt, state }: KnownProcess,
  jobs: JobsInHand,
  reach: TenantReach,
): Promise<ShownProcess> {
  const { kind, host, version, startedAt, slots, load, containers } = beat;
  const inHand = jobs.of(id);
  return {
    id,
    kind,
    host: reach === EVERY_TENANT ? host : null,
    version,
    startedAt,
    lastSeenAt: new Date(seenAt).toISOString(),
    state,
    queues: [...beat.queues],
    labels: [...beat.labels],
    slots,
    inHand,
    load,
    ...(containers && { containers }),
    ...(state === 'lost' && { left: await readJobsLeft(queues, id, inHand, reach) }),
  };
}
