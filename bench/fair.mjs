/**
 * The wait of a light tenant while others have 5,000 jobs waiting, beside its wait while nobody else has work: from its request to its result, one
 * request at a time, with one API and one worker. Run `npm run build` first.
 *
 *   node bench/fair.mjs [--runs 5] [--waiting 5000] [--flood <number from 1>]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startReceiver } from './cost/sides.mjs';
import { FLOODS, writeFloodLibrary } from './fair/floods.mjs';
import { noteGoal } from './goals/note-goal.mjs';
import { compared, quantile, ratioCells, startModule, startRedis, table } from './measure.mjs';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    waiting: { type: 'string', default: '5000' },
    flood: { type: 'string' },
  },
});
const [RUNS, WAITING] = [Number(options.runs), Number(options.waiting)];
const APP = fileURLToPath(new URL('start-app.mjs', import.meta.url));
const PER_BATCH = 500;
const WARM_UP = 10;
const SETTLING = 2;
const QUANTILES = [0.5, 0.95];
const NOTES = `One API, one worker, one request of the light tenant at a time, from the request to its result. The ratio is that of its wait beside the flood to
its wait alone, in the same run: the median of ${RUNS} runs, with the lowest and the highest. The aim is at most 1.5 for p50 and 2 for p95.`;

/** Redis, API and worker with these slots. `stop` ends them. */
async function startStack(slots) {
  const folder = mkdtempSync(join(tmpdir(), 'errand-fair-'));
  writeFloodLibrary(join(folder, 'library'));
  const redis = await startRedis();
  const env = {
    ERRAND_PORT: '0',
    ERRAND_REDIS_URL: redis.url,
    ERRAND_LOG_LEVEL: 'fatal',
    ERRAND_LIBRARY: join(folder, 'library'),
    ERRAND_DATA_DIR: join(folder, 'data'),
    ERRAND_CALLBACK_ALLOW: '127.0.0.1',
    ERRAND_WORKER_CONCURRENCY: String(slots),
  };
  const api = await startModule(APP, { ...env, APP: 'api' });
  const worker = await startModule(APP, { ...env, APP: 'worker' });
  const stop = async () => {
    await Promise.all([api.stop(), worker.stop()]);
    await redis.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  };
  return { url: api.ready, stop };
}

async function post(url, tenant, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-errand-tenant': tenant, ...headers },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${JSON.stringify(answer).slice(0, 500)}`);
  return answer;
}

/** Pauses or resumes the queue, so that a flood starts when all of it waits. */
const setQueue = (url, to) => post(`${url}/v1/queues/invocations/${to}`, 'default', {});

/** The queue as the operator sees it. */
const queueOf = async (url) => (await fetch(`${url}/v1/queues/invocations`)).json();

/**
 * Sends jobs of the light tenant one after the other, until there are enough samples or `isOver` holds after one, which then does not count.
 * @returns the ms from each request to its result
 */
async function sample(url, { light, samples, pauseMs = 0 }, isOver = async () => false) {
  const took = [];
  for (let n = 0; n < samples; n++) {
    if (pauseMs > 0) await setTimeout(Math.random() * pauseMs);
    const start = performance.now();
    const { status } = await post(`${url}/v1/invocations`, 'light', light, { prefer: 'wait=60' });
    if (status !== 'succeeded') throw new Error(`a job of the light tenant is ${status}`);
    const ms = performance.now() - start;
    if (await isOver()) break;
    took.push(ms);
  }
  return took;
}

async function submitFlood(url, { tenants, job, waiting = WAITING }, receiver) {
  const each = Math.ceil(waiting / tenants.length);
  const submit = async (tenant) => {
    for (let from = 0; from < each; from += PER_BATCH) {
      const count = Math.min(PER_BATCH, each - from);
      const items = Array.from({ length: count }, (_, n) => job(receiver, from + n));
      await post(`${url}/v1/invocations/batch`, tenant, { items });
    }
  };
  await Promise.all(tenants.map(submit));
}

/** One run: the light tenant alone, and beside the flood. */
async function measure(flood, receiver) {
  const { url, stop } = await startStack(flood.slots);
  try {
    await sample(url, { ...flood, samples: WARM_UP });
    const idle = await sample(url, flood);
    await setQueue(url, 'pause');
    await submitFlood(url, flood, receiver);
    await setQueue(url, 'resume');
    // The API and the worker have then done with the submission itself.
    await sample(url, { ...flood, samples: SETTLING });
    const crowded = await sample(url, flood, async () => (await queueOf(url)).waiting === 0);
    if (crowded.length === 0) throw new Error(`the flood was over before the first sample: ${flood.name}`);
    return { idle, crowded };
  } finally {
    await stop();
  }
}

async function rowsOf(flood, receiver) {
  const runs = [];
  for (let run = 0; run < RUNS; run++) runs.push(await measure(flood, receiver));
  return QUANTILES.map((q) => {
    const of = (side) => runs.map((one) => quantile(one[side], q));
    const found = compared({ ours: of('crowded'), theirs: of('idle') });
    noteGoal(`fair-${flood.id}-p${q * 100}`, found.ratios);
    const ms = (time) => `${time.toFixed(1)} ms`;
    return [`${flood.name}, p${q * 100}`, ms(found.ours), ms(found.theirs), ...ratioCells(found)];
  });
}

const receiver = await startReceiver();
const chosen = options.flood === undefined ? FLOODS : [FLOODS[Number(options.flood) - 1]];
const rows = [];
for (const flood of chosen) rows.push(...(await rowsOf(flood, receiver.url)));
receiver.stop();
console.log(NOTES);
console.log(`\n${table(['flood', 'beside it', 'alone', 'ratio', 'range'], rows)}`);
