/**
 * The cost of a notification for each process that receives it. Every API and worker receives the start and the end of every
 * invocation, so that this cost grows with the number of processes.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cpuTimeOf, startModule, startRedis } from '../measure.mjs';

const { Redis } = createRequire(import.meta.url)('ioredis');
const RECEIVER = fileURLToPath(new URL('notified.mjs', import.meta.url));
const MESSAGES = 60_000;
/** As many come at a time from a busy Redis. */
const PER_BATCH = 20;
const RECEIVERS = 4;
/** The start and the end of an invocation. */
const PER_INVOCATION = 2;

/** Publishes all messages to a channel, and returns the CPU time in ms that Redis needed. */
async function publishAll(redis, channel, pid) {
  const before = cpuTimeOf(pid);
  for (let sent = 0; sent < MESSAGES; sent += PER_BATCH) {
    const pipeline = redis.pipeline();
    for (let n = 0; n < PER_BATCH; n++) pipeline.publish(channel, `ended inv_01hzzzzzzzzzzzzzzzzzzz${n}`);
    await pipeline.exec();
  }
  return cpuTimeOf(pid) - before;
}

/** @returns `perInvocation`: how many there are; `sendUs` and `receiveUs`: the CPU time of Redis and of a process for each receiver of one */
export async function measureNotifications() {
  const store = await startRedis();
  const redis = new Redis(store.url);
  const receivers = [];
  try {
    const pid = Number(/^process_id:(\d+)/m.exec(await redis.info('server'))[1]);
    for (let n = 0; n < RECEIVERS; n++) receivers.push(await startModule(RECEIVER, { REDIS_URL: store.url }));
    const [channel] = await redis.pubsub('CHANNELS');
    const alone = await publishAll(redis, 'nobody', pid);
    await publishAll(redis, channel, pid);
    const before = receivers.map((receiver) => cpuTimeOf(receiver.pid));
    const told = await publishAll(redis, channel, pid);
    const received = receivers.reduce((sum, receiver, n) => sum + cpuTimeOf(receiver.pid) - before[n], 0);
    const perMessage = (ms) => Number(Math.max(0.1, (ms * 1_000) / MESSAGES / RECEIVERS).toPrecision(2));
    return { perInvocation: PER_INVOCATION, sendUs: perMessage(told - alone), receiveUs: perMessage(received) };
  } finally {
    for (const receiver of receivers) await receiver.stop();
    redis.disconnect();
    await store.stop();
  }
}
