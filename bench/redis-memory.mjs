// The Redis memory of an invocation, and of a raw BullMQ job with the same data.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { Queue } = require('bullmq');
const { Redis } = require('ioredis');
const { PLAIN_OPTIONS } = require('../dist/libs/queue/src/bullmq/plain-options.js');
const { keys, PREFIX } = require('../dist/libs/queue/src/redis/names.js');

const COUNT = 2_000;

async function usedMemory(redis) {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))[1]);
}

/**
 * The bytes of one of some thousand waiting invocations, and of one of as many raw jobs with the same name, data and options. Errand stores no
 * options with them, because all have the same. Each invocation comes alone: one of a batch has two entries more.
 */
export async function memoryPerJob(errandUrl, redisUrls, body) {
  const [ours, theirs] = [new Redis(redisUrls.ours), new Redis(redisUrls.theirs)];
  const first = await post(errandUrl, body);
  const { data } = await ours.hgetall(keys.job('invocations', first.id));
  const before = { ours: await usedMemory(ours), theirs: await usedMemory(theirs) };
  const queue = new Queue('invocations', { connection: theirs, prefix: PREFIX });
  for (let n = 0; n < COUNT; n += 100) {
    await Promise.all(Array.from({ length: 100 }, () => post(errandUrl, body)));
    // The names of the keys are the same, and the id has the same length, because keys and lists contain it.
    const job = (_, k) => ({
      name: body.toolId,
      data: JSON.parse(data),
      opts: { ...PLAIN_OPTIONS, jobId: idOf(first.id, n + k) },
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
