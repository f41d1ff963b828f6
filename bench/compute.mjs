/**
 * One tenant keeps the computing threads busy; another one calls core:echo. Prints the response time of /healthz of API and worker
 * meanwhile, and the time of an echo, busy and idle. Run `npm run build` first.
 *
 *   node bench/compute.mjs [calls]    the number of concurrent computing calls; 150 by default
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, quantile, startModule, startRedis, table } from './measure.mjs';

const CALLS = Number(process.argv[2] ?? 150);
const SECONDS = 15;
const BUSY = { authorization: 'Bearer busy-key-of-some-length', 'content-type': 'application/json' };
const QUIET = { authorization: 'Bearer quiet-key-of-some-length', 'content-type': 'application/json' };
const NUMBERS = Array.from({ length: 1_000 }, (_, n) => n);

/** The calls of the busy tenant. The inputs are small, so that their transfer through API and queue does not count. */
const COMPUTING = {
  expressions: {
    toolId: 'core:expression',
    arguments: { expression: 'l.map(a, l.map(b, l.map(c, a + b + c)))', data: { l: NUMBERS } },
  },
  patterns: { toolId: 'core:regex', arguments: { text: 'a'.repeat(5_000), pattern: '(a*)*b|a', op: 'matchAll' } },
  paths: { toolId: 'core:json-path', arguments: { value: [`${'a'.repeat(60)}!`], path: "$[?match(@, '(a+)+')]" } },
};

const app = fileURLToPath(new URL('start-app.mjs', import.meta.url));
const dataDir = await mkdtemp(join(tmpdir(), 'errand-bench-'));
const redis = await startRedis();
const healthPort = await freePort();
const env = {
  ERRAND_REDIS_URL: redis.url,
  ERRAND_DATA_DIR: dataDir,
  ERRAND_PORT: '0',
  ERRAND_LOG_LEVEL: 'error',
  ERRAND_API_KEYS: 'busy:busy-key-of-some-length quiet:quiet-key-of-some-length',
  ERRAND_HEALTH_PORT: String(healthPort),
};
const api = await startModule(app, { ...env, APP: 'api' });
const worker = await startModule(app, { ...env, APP: 'worker' });
const url = `${api.ready}/v1/invocations`;

async function millisOf(request) {
  const start = performance.now();
  await (await request()).text();
  return performance.now() - start;
}

/** Times of requests one by one, until the signal fires. */
async function sample(signal, request) {
  const times = [];
  while (!signal.aborted) {
    times.push(await millisOf(request));
    await setTimeout(20);
  }
  return times;
}

async function measure() {
  const over = AbortSignal.timeout(SECONDS * 1_000);
  const body = JSON.stringify({ toolId: 'core:echo', arguments: { value: 'x' } });
  const [echo, ofApi, ofWorker] = await Promise.all([
    sample(over, () => fetch(url, { method: 'POST', body, headers: { ...QUIET, prefer: 'wait=60' } })),
    sample(over, () => fetch(`${api.ready}/healthz`)),
    sample(over, () => fetch(`http://127.0.0.1:${healthPort}/healthz`)),
  ]);
  return { echo: quantile(echo), ofApi: quantile(ofApi, 0.99), ofWorker: quantile(ofWorker, 0.99) };
}

/** Keeps that many calls running; returns a function that ends them. */
function keepBusy(call) {
  const over = new AbortController();
  const body = JSON.stringify(call);
  const ids = new Set();
  const lanes = Array.from({ length: CALLS }, async () => {
    while (!over.signal.aborted) {
      const { id } = await (await fetch(url, { method: 'POST', body, headers: BUSY })).json();
      ids.add(id);
      let status;
      do {
        ({ status } = await (await fetch(`${url}/${id}?wait=20`, { headers: BUSY })).json());
      } while (!over.signal.aborted && !['succeeded', 'failed', 'cancelled'].includes(status));
      ids.delete(id);
    }
  });
  return async () => {
    over.abort();
    await Promise.all([...ids].map((id) => fetch(`${url}/${id}/cancel`, { method: 'POST', headers: BUSY })));
    await Promise.all(lanes);
  };
}

const ms = (value) => `${value.toFixed(1)} ms`;
await measure();
const idle = await measure();
const rows = [['nothing', ms(idle.ofApi), ms(idle.ofWorker), ms(idle.echo), '1.0']];
for (const [what, call] of Object.entries(COMPUTING)) {
  const end = keepBusy(call);
  await setTimeout(1_000);
  const busy = await measure();
  await end();
  rows.push([`${CALLS} ${what}`, ms(busy.ofApi), ms(busy.ofWorker), ms(busy.echo), (busy.echo / idle.echo).toFixed(1)]);
}
console.log(
  table(
    ['the other tenant runs', 'healthz of the API, p99', 'of the worker, p99', 'echo, median', 'busy / idle'],
    rows,
  ),
);
await worker.stop();
await api.stop();
await redis.stop();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
