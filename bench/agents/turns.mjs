/**
 * Compares turns of agents with the invocations that they consist of. The deliberation workflow is one node in the process, so that the cost
 * of the loop shows, and not that of a model.
 *
 *   npm run build && node bench/agents/turns.mjs [waiting turns]
 */
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { latenciesOf, rateOf } from '../load.mjs';
import { quantile, sideBySide, startModule, startRedis, table } from '../measure.mjs';
import { writeThinkers } from './thinkers.mjs';

const { Redis } = createRequire(import.meta.url)('ioredis');
const WAITING = Number(process.argv[2] ?? 10_000);
const ROUNDS = 5;
const TIMES = 100;
const WAIT = { prefer: 'wait=20' };

const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
const redis = await startRedis();
const started = [];

async function startErrand() {
  const env = {
    ERRAND_REDIS_URL: redis.url,
    ERRAND_LIBRARY: writeThinkers(folder),
    ERRAND_LOG_LEVEL: 'fatal',
  };
  const app = new URL('../start-app.mjs', import.meta.url);
  const api = await startModule(app, { ...env, APP: 'api', ERRAND_PORT: '0' });
  started.push(api, await startModule(app, { ...env, APP: 'worker' }));
  return `${api.ready}/v1/invocations`;
}

const request = (toolId, args, more = {}) => JSON.stringify({ toolId, arguments: args, ...more });
const THINK = request('workflow:think', { messages: [{ role: 'user', content: 'Hello' }] });
const TALK = request('agent:talker', { message: 'Hello' });
const CALL = request('agent:caller', { message: 'Hello' });
const ECHO = request('core:echo', { value: 'x' });

/** The median time of requests that wait for the end of their invocation, in ms. Several bodies are sent one after the other. */
async function timeOf(url, ...bodies) {
  const times = await Promise.all([]);
  for (let n = 0; n < TIMES; n++) {
    let sum = 0;
    for (const body of bodies) sum += (await latenciesOf({ url, body, headers: WAIT }, 1))[0];
    times.push(sum);
  }
  return quantile(times);
}

const rate = (url, body) =>
  rateOf({ url, body, method: 'POST', headers: { 'content-type': 'application/json', ...WAIT } });

async function compare(url) {
  const ratio = ({ ratio: value }) => value.toFixed(2);
  const turn = await sideBySide(
    ROUNDS,
    () => timeOf(url, TALK),
    () => timeOf(url, THINK),
  );
  const throughput = await sideBySide(
    ROUNDS,
    () => rate(url, TALK),
    () => rate(url, THINK),
  );
  const round = await sideBySide(
    ROUNDS,
    () => timeOf(url, CALL),
    () => timeOf(url, THINK, ECHO, THINK),
  );
  return [
    ['a turn without calls, against a bare invocation of its workflow: time at p50', ratio(turn), '≤ 1.5'],
    ['the same: turns per second with 64 in flight', ratio(throughput), '≥ 0.7'],
    ['a turn with one call, against its three invocations one after the other: time at p50', ratio(round), '≤ 1.2'],
  ];
}

async function usedMemory() {
  const client = new Redis(redis.url);
  const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))[1]);
  client.disconnect();
  return used;
}

/** Submits `count` invocations that wait, and returns the memory of each in bytes. */
async function memoryOfWaiting(url, body, count) {
  const before = await usedMemory();
  const ids = [];
  while (ids.length < count) {
    const some = Array.from({ length: Math.min(100, count - ids.length) }, () => body);
    const response = await fetch(`${url}/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"items":[${some.join(',')}]}`,
    });
    ids.push(...(await response.json()).items.map(({ id }) => id));
  }
  for (const id of ids) await untilWaiting(url, id);
  return ((await usedMemory()) - before) / count;
}

async function untilWaiting(url, id) {
  for (;;) {
    const { status } = await (await fetch(`${url}/${id}`)).json();
    if (status === 'waiting_external') return;
    if (status !== 'queued' && status !== 'running') throw new Error(`${id} is ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function compareWaiting(url) {
  const client = { tools: [{ name: 'paint' }], message: 'Paint' };
  const alone = await timeOf(url, TALK);
  const suspended = await memoryOfWaiting(url, request('bench:ask', {}), Math.min(WAITING, 1_000));
  const turns = await memoryOfWaiting(url, request('agent:painter', client), WAITING);
  const among = await timeOf(url, TALK);
  const count = WAITING.toLocaleString('en');
  return [
    [
      `${count} turns that wait for a front end, against suspended invocations: Redis memory of each`,
      (turns / suspended).toFixed(2),
      '≤ 2',
    ],
    [`a turn while ${count} turns wait, against none: time at p50`, (among / alone).toFixed(2), '≤ 1.2'],
  ];
}

try {
  const url = await startErrand();
  await timeOf(url, TALK, CALL, THINK);
  const rows = [...(await compare(url)), ...(await compareWaiting(url))];
  console.log(table(['turns of agents', 'ratio', 'aim'], rows));
} finally {
  for (const app of started) await app.stop();
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
}
