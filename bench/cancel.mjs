/**
 * Compares the time of a cancel in the middle of a long queue with that in a short one. Run `npm run build` first.
 *
 *   node bench/cancel.mjs [waiting]      the length of the long queue; 1,000,000 by default (2 GB of memory)
 */
import { fileURLToPath } from 'node:url';
import { noteGoal } from './goals/note-goal.mjs';
import { compared, quantile, ratioCells, startModule, startRedis, table } from './measure.mjs';

const APP = fileURLToPath(new URL('start-app.mjs', import.meta.url));
const MANY = Number(process.argv[2] ?? 1_000_000);
const FEW = 1_000;
const PER_BATCH = 1_000;
const AT_ONCE = 4;
const ROUNDS = 5;
const CANCELS = 40;
const CALL = { toolId: 'core:echo', arguments: { value: 'x' } };

/** An API with this number of waiting invocations. `cancel` cancels one from the middle, and returns the time in ms. */
async function startWaiting(count) {
  const redis = await startRedis();
  const env = { ERRAND_PORT: '0', ERRAND_LOG_LEVEL: 'error', ERRAND_QUEUE_BOUND: '0', ERRAND_REDIS_URL: redis.url };
  const api = await startModule(APP, { ...env, APP: 'api' });
  const url = `${api.ready}/v1/invocations`;
  const middle = await fill(url, count);
  return {
    cancel: async () => {
      const start = performance.now();
      const response = await fetch(`${url}/${middle.pop()}/cancel`, { method: 'POST' });
      await response.text();
      if (response.status !== 202) throw new Error(`a cancel got ${response.status}`);
      return performance.now() - start;
    },
    stop: async () => (await api.stop(), await redis.stop()),
  };
}

/** Submits invocations in batches, some at once. @returns the ids of those in the middle */
async function fill(url, count) {
  const body = JSON.stringify({ items: Array.from({ length: Math.min(PER_BATCH, count) }, () => CALL) });
  const batches = Math.ceil(count / PER_BATCH);
  let [begun, middle] = [0, []];
  const submit = async () => {
    while (begun < batches) {
      const isMiddle = begun++ === Math.floor(batches / 2);
      const response = await fetch(url + '/batch', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      const { items } = await response.json();
      if (isMiddle) middle = items.slice(300, 700).map(({ id }) => id);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, submit));
  return middle;
}

const [many, few] = [await startWaiting(MANY), await startWaiting(FEW)];
try {
  const times = { ours: [], theirs: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [side, { cancel }] of [
      ['theirs', few],
      ['ours', many],
    ]) {
      const taken = [];
      for (let n = 0; n < CANCELS; n++) taken.push(await cancel());
      times[side].push(quantile(taken));
    }
  }
  const found = compared(times);
  noteGoal('cancel', found.ratios);
  const ms = (time) => `${time.toFixed(2)} ms`;
  const head = ['measured (lower is better)', `${MANY} waiting`, `${FEW} waiting`, 'ratio', 'range'];
  const row = ['cancel from the middle of the queue, p50', ms(found.ours), ms(found.theirs), ...ratioCells(found)];
  console.log(table(head, [row]));
} finally {
  await many.stop();
  await few.stop();
}
