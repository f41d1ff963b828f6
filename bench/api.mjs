// Accepting invocations, and a no-op node end to end, beside the least that could do the same on raw BullMQ. `npm run build` first.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { quantile, sideBySide, startModule, startRedis, table } from './measure.mjs';

const autocannon = createRequire(import.meta.url)('autocannon');
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const ROUNDS = 5;
const SECONDS = 3;
const IN_FLIGHT = 64;
const ONE_BY_ONE = 300;
const BODY = JSON.stringify({ toolId: 'core:echo', arguments: { value: 'x' } });
const HEADERS = { 'content-type': 'application/json' };

const perSecond = (url, headers) => async () => {
  const {
    '2xx': ok,
    non2xx,
    errors,
    duration,
  } = await autocannon({ url, method: 'POST', body: BODY, headers, connections: IN_FLIGHT, duration: SECONDS });
  if (non2xx > 0 || errors > 0) throw new Error(`${url}: ${non2xx} refused, ${errors} failed`);
  return ok / duration;
};

const latencies = (url, headers) => async () => {
  const times = [];
  for (let n = 0; n < ONE_BY_ONE; n++) {
    const start = performance.now();
    const response = await fetch(url, { method: 'POST', body: BODY, headers });
    await response.text();
    times.push(performance.now() - start);
  }
  return times;
};

/** Waits until nothing is left to do, so that one measurement does not pay for the one before. */
async function settle(url) {
  await (await fetch(url, { method: 'POST', body: BODY, headers: { ...HEADERS, prefer: 'wait=60' } })).text();
}

export async function run() {
  const redis = { ours: await startRedis(), theirs: await startRedis() };
  const env = { ERRAND_REDIS_URL: redis.ours.url, ERRAND_PORT: '0', ERRAND_LOG_LEVEL: 'warn' };
  const processes = [];
  const start = async (module, vars) => {
    const started = await startModule(here(module), vars);
    processes.push(started);
    return started.ready;
  };
  try {
    const bare = `${await start('bare-route.mjs', { REDIS_URL: redis.theirs.url })}/jobs`;
    const errand = `${await start('start-app.mjs', { ...env, APP: 'api' })}/v1/invocations`;

    const accept = await sideBySide(ROUNDS, perSecond(errand, HEADERS), perSecond(bare, HEADERS));

    await start('bare-worker.mjs', { REDIS_URL: redis.theirs.url });
    await start('start-app.mjs', { ...env, APP: 'worker' });
    await Promise.all([settle(bare), settle(errand)]);
    const waiting = { ...HEADERS, prefer: 'wait=60' };
    const through = await sideBySide(ROUNDS, perSecond(errand, waiting), perSecond(bare, waiting));

    const times = { ours: [], theirs: [] };
    for (let round = 0; round < ROUNDS; round++) {
      times.theirs.push(...(await latencies(bare, waiting)()));
      times.ours.push(...(await latencies(errand, waiting)()));
    }
    const at = (q) => ({ ours: quantile(times.ours, q), theirs: quantile(times.theirs, q) });
    const rate = ({ ours, theirs, ratio }) => [`${Math.round(ours)}/s`, `${Math.round(theirs)}/s`, ratio.toFixed(2)];
    const time = ({ ours, theirs }) => [`${ours.toFixed(2)} ms`, `${theirs.toFixed(2)} ms`, (ours / theirs).toFixed(2)];
    return table(
      ['what', 'Errand', 'bare Fastify + BullMQ', 'ratio'],
      [
        [`accepted over HTTP, ${IN_FLIGHT} in flight (higher is better)`, ...rate(accept)],
        [`no-op node end to end, ${IN_FLIGHT} in flight (higher is better)`, ...rate(through)],
        ['no-op node end to end, one at a time, p50 (lower is better)', ...time(at(0.5))],
        ['no-op node end to end, one at a time, p99 (lower is better)', ...time(at(0.99))],
      ],
    );
  } finally {
    await Promise.all(processes.map((process) => process.stop()));
    redis.ours.stop();
    redis.theirs.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await run());
