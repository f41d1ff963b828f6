/**
 * Prints the CPU time of a worker and of Redis for each no-op job: BullMQ's `Worker` beside Errand's consumer, in turn. Run
 * `npm run build` first.
 *
 *   node bench/consumer.mjs [--runs <n>] [--jobs <n>]
 */
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuTimeOf, quantile, startModule, startRedis, table } from './measure.mjs';

const require = createRequire(import.meta.url);
const { Queue } = require('bullmq');
const { connectQueues, submitInvocations } = require('../dist/libs/queue/src/index.js');
const { newInvocationId } = require('../dist/libs/contracts/src/index.js');

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '3' }, jobs: { type: 'string', default: '20000' } },
});
const JOBS = Number(values.jobs);
const AT_ONCE = 500;
const CALL = { toolId: 'core:echo', version: '1.0.0', digest: 'd', kind: 'node', arguments: { value: 1 } };
const recordOf = (tenant) => ({ tenant, mode: 'sequence', calls: [CALL] });

/** The jobs of a script have no index entries. Their ids are made by BullMQ. */
async function addPlain(queues, count) {
  const data = { ...recordOf('default'), parent: { invocationId: 'inv_none', step: 0 } };
  const opts = { attempts: 1, stackTraceLimit: 0 };
  const queue = new Queue('invocations', { connection: queues.redis, prefix: '{errand}' });
  for (let n = 0; n < count; n += AT_ONCE)
    await queue.addBulk(
      Array.from({ length: Math.min(AT_ONCE, count - n) }, () => ({ name: CALL.toolId, data, opts })),
    );
}

const addInvocations = (tenants) => async (queues, count) => {
  for (let n = 0; n < count; n += AT_ONCE)
    await submitInvocations(
      queues,
      Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, k) => {
        const record = recordOf(tenants === 1 ? 'default' : `tenant-${(n + k) % tenants}`);
        return { queue: 'invocations', id: newInvocationId(), record, options: {} };
      }),
    );
};

const SIDES = [
  { name: "BullMQ's `Worker`, plain jobs", side: 'bullmq', add: addPlain },
  { name: "Errand's consumer, plain jobs", side: 'consumer', add: addPlain },
  { name: "Errand's worker: tenant list, index, notifications", side: 'worker', add: addInvocations(1) },
  { name: 'the same with 2 tenants', side: 'worker', add: addInvocations(2) },
  { name: 'the same with 20 tenants', side: 'worker', add: addInvocations(20) },
];

/** @returns the µs of worker and Redis for each job, and the jobs per second */
async function measure({ side, add }) {
  const redis = await startRedis();
  const queues = connectQueues(redis.url, { ageSeconds: 3_600, count: 1_000_000 });
  const child = await startModule(new URL('consumer-process.mjs', import.meta.url), {
    REDIS_URL: redis.url,
    SIDE: side,
  });
  const queue = queues.byName.invocations;
  const redisMs = async () => {
    const info = await queues.redis.info('cpu');
    return (
      1_000 *
      ['sys', 'user'].reduce((sum, kind) => sum + Number(new RegExp(`used_cpu_${kind}:([\\d.]+)`).exec(info)[1]), 0)
    );
  };
  const all = async (count) => {
    await queue.pause();
    await add(queues, count);
    const [before, begun] = [[cpuTimeOf(child.pid), await redisMs()], performance.now()];
    const target = (await queue.getCompletedCount()) + count;
    await queue.resume();
    while ((await queue.getCompletedCount()) < target) await delay(20);
    const after = [cpuTimeOf(child.pid), await redisMs()];
    const perSecond = (1_000 * count) / (performance.now() - begun);
    return [...after.map((ms, n) => ((ms - before[n]) * 1_000) / count), perSecond];
  };
  // The compiler of V8 has done its work after some jobs.
  await all(Math.ceil(JOBS / 4));
  const result = await all(JOBS);
  await child.stop();
  await queues.close();
  await redis.stop();
  return result;
}

const results = SIDES.map(() => []);
for (let run = 0; run < Number(values.runs); run++)
  for (const [n, side] of SIDES.entries()) results[n].push(await measure(side));
const cellOf = (runs, n) => {
  const each = runs.map((one) => one[n]);
  return `${Math.round(quantile(each))} (${Math.round(Math.min(...each))}–${Math.round(Math.max(...each))})`;
};
console.log(
  `${JOBS.toLocaleString('en')} jobs wait in the queue of one worker with 100 slots. Medians of ${values.runs} runs, and their range.\n`,
);
console.log(
  table(
    ['per job', 'worker, µs of CPU', 'Redis, µs of CPU', 'jobs per second'],
    SIDES.map(({ name }, n) => [name, ...[0, 1, 2].map((column) => cellOf(results[n], column))]),
  ),
);
