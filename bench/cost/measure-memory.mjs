// The size of one invocation in Redis: bytes and keys while it waits, and after its end.
import { setTimeout as delay } from 'node:timers/promises';
import { headersFor, sendMany, startErrand } from './sides.mjs';

const COUNT = 2_000;
const TENANTS = 100;
const LONGEST_MS = 120_000;
const ECHO = { toolId: 'core:echo', arguments: { value: 'x' } };

async function sizeOf({ redis }) {
  const bytes = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))[1]);
  return { bytes, keys: await redis.dbsize() };
}

/** Resolves when no invocation waits or runs. */
async function untilEnded({ redis }) {
  const key = (name) => `{errand}:invocations:${name}`;
  for (const end = Date.now() + LONGEST_MS; Date.now() < end; await delay(100)) {
    const open = [redis.llen(key('wait')), redis.llen(key('active')), redis.hlen(key('fair:tenants'))];
    if ((await Promise.all(open)).every((count) => count === 0)) return;
  }
  throw new Error(`Invocations still wait or run after ${LONGEST_MS} ms`);
}

async function measure(parts, afterwards) {
  const side = await startErrand(parts);
  try {
    const send = (amount) => sendMany(side.url, { body: ECHO, headers: headersFor(TENANTS), amount, inFlight: 16 });
    await send(200);
    await afterwards(side);
    const before = await sizeOf(side);
    await send(COUNT);
    await afterwards(side);
    const after = await sizeOf(side);
    const per = (what) => Number(((after[what] - before[what]) / COUNT).toPrecision(3));
    return { bytes: per('bytes'), keys: per('keys') };
  } finally {
    await side.stop();
  }
}

/** @returns `waiting` and `ended`: `{bytes, keys}` of one invocation without data to speak of */
export async function measureMemory() {
  return { waiting: await measure([], async () => {}), ended: await measure(['worker'], untilEnded) };
}
