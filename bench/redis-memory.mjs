// The Redis memory of an invocation, and of a raw BullMQ job with the same data.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { Queue } = require('bullmq');
const { Redis } = require('ioredis');
const { keys } = require('../dist/libs/queue/src/redis/names.js');

const COUNT = 2_000;

async function usedMemory(redis) {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))[1]);
}

/** The bytes of one of some thousand waiting invocations, and of one of as many raw jobs with the same data and options. */
export async function memoryPerJob(errandUrl, redisUrls, body) {
  const [ours, theirs] = [new Redis(redisUrls.ours), new Redis(redisUrls.theirs)];
  const submit = async (items) => (await post(`${errandUrl}/batch`, { items })).items;
  const [first] = await submit([body]);
  const { data, opts } = await ours.hgetall(keys.job('invocations', first.id));
  const before = { ours: await usedMemory(ours), theirs: await usedMemory(theirs) };
  const queue = new Queue('memory', { connection: theirs });
  for (let n = 0; n < COUNT; n += 100) {
    await submit(Array(100).fill(body));
    // The id has the same length, because keys and lists contain it.
    const job = (_, k) => ({
      name: body.toolId,
      data: JSON.parse(data),
      opts: { ...JSON.parse(opts), jobId: idOf(first.id, n + k) },
    });
    await queue.addBulk(Array.from({ length: 100 }, job));
  }
  const perJob = async (redis, was) => ((await usedMemory(redis)) - was) / COUNT;
  const result = { ours: await perJob(ours, before.ours), theirs: await perJob(theirs, before.theirs) };
  await queue.close();
  ours.disconnect();
  theirs.disconnect();
  return result;
}

const idOf = (like, n) => like.slice(0, -6) + String(n).padStart(6, '0');

async function post(url, body) {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', body: JSON.stringify(body), headers })).json();
}
