/**
 * Compares the accept rate of an API while it keeps refusals and while it keeps none. One of five submissions is refused. Then
 * prints the bytes that a refusal and a text take in Redis. Run `npm run build` first.
 *
 *   node bench/refusals.mjs [rounds]      30 by default
 *
 * Exit code 1: the ratio of the accept rates with and without refusals kept is below 0.97.
 */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cpuTimeOf, quantile, ratioCells, sideBySide, startModule, startRedis, table } from './measure.mjs';

const require = createRequire(import.meta.url);
const autocannon = require('autocannon');
const { Redis } = require('ioredis');

const ROUNDS = Number(process.argv[2] ?? 30);
const LEAST = 0.97;
const SECONDS = 1;
const SAMPLES = 200;
const HEADERS = { 'content-type': 'application/json' };
const wrap = (value) => `<ACTION><core:echo><value>${value}</value></core:echo></ACTION>`;
const requestOf = (text, n) => ({
  method: 'POST',
  path: '/v1/invocations',
  headers: HEADERS,
  body: JSON.stringify({ text, session: `s${n}` }),
});
const RIGHT = wrap('x'.repeat(300));
const WRONG = '<ACTION><core:math><op>ad</op><a>1</a><b>2</b></core:math></ACTION>';
const NOTHING_KEPT = { ERRAND_REFUSALS_COUNT: '0' };

const started = [];

/** An API on a Redis of its own. `module` starts it. */
async function startErrand(env, module = 'start-app.mjs') {
  const redis = await startRedis();
  started.push(redis);
  const vars = { APP: 'api', ERRAND_PORT: '0', ERRAND_LOG_LEVEL: 'error', ERRAND_REDIS_URL: redis.url, ...env };
  const api = await startModule(fileURLToPath(new URL(module, import.meta.url)), vars);
  started.push(api);
  return { url: api.ready, redis: redis.url, pid: api.pid, child: api.child };
}

/** The accept rate while the API keeps refusals or keeps none. */
async function rateWhile(api, isKept) {
  api.child.send({ isKept });
  await once(api.child, 'message');
  return acceptRate(api);
}

/** Accepted submissions per second of processor time of the API, while one of five is refused. Other load does not change that. */
async function acceptRate({ url, pid }) {
  const requests = Array.from({ length: 50 }, (_, n) => requestOf(n % 5 === 0 ? WRONG : RIGHT, n));
  const before = cpuTimeOf(pid);
  const found = await autocannon({ url, requests, connections: 64, duration: SECONDS });
  if (found.errors > 0) throw new Error(`${found.errors} requests failed`);
  return (found['2xx'] * 1_000) / (cpuTimeOf(pid) - before);
}

/** The growth of the memory of Redis by one submission of this text, in bytes. */
async function bytesOf({ url, redis: address }, text) {
  const redis = new Redis(address);
  const used = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))[1]);
  const send = (n) => fetch(new URL('/v1/invocations', url), requestOf(text, n));
  const count = async () => (await redis.keys('*')).length;
  for (let n = 0; n < 20; n++) await (await send(n)).text();
  let keys;
  const untilQuiet = async () => {
    do {
      keys = await count();
      await new Promise((resolve) => setTimeout(resolve, 1_500));
    } while ((await count()) !== keys);
  };
  await untilQuiet();
  const before = await used();
  for (let n = 0; n < SAMPLES; n++) await (await send(n)).text();
  await untilQuiet();
  const bytes = ((await used()) - before) / SAMPLES;
  await redis.quit();
  return Math.round(bytes);
}

try {
  const keeps = await startErrand({}, 'start-switchable-api.mjs');
  // The first rounds compile the code.
  for (const isKept of [true, false, true, false]) await rateWhile(keeps, isKept);
  const rates = await sideBySide(
    ROUNDS,
    () => rateWhile(keeps, true),
    () => rateWhile(keeps, false),
  );
  keeps.child.send({ isKept: true });
  // The speed of a machine changes from minute to minute: the two sides of a round are compared, not those of all rounds.
  const median = quantile(rates.ratios);
  const [ratio, range] = ratioCells({
    ratio: median,
    range: [0.25, 0.75].map((share) => quantile(rates.ratios, share)),
  });
  const head = [
    'accepted per second of CPU time of the API, one of five submissions refused',
    'kept',
    'not kept',
    'ratio',
    'quartiles',
  ];
  console.log(table(head, [['', Math.round(rates.ours), Math.round(rates.theirs), ratio, range]]));
  const off = await startErrand({ ...NOTHING_KEPT, ERRAND_KEEP_TEXT: 'false' });
  const rows = [];
  for (const [name, text] of [
    ['a text of 360 bytes', RIGHT],
    ['a text of 64 KiB', wrap('word '.repeat(13_000))],
  ])
    rows.push([name, (await bytesOf(keeps, text)) - (await bytesOf(off, text))]);
  const fresh = await startErrand({});
  rows.push(['a refusal of 70 bytes', await bytesOf(fresh, WRONG)]);
  rows.push(['a refusal of 64 KiB', await bytesOf(fresh, WRONG.padEnd(65_000, ' x'))]);
  console.log(table(['kept', 'bytes in Redis'], rows));
  if (median < LEAST) process.exitCode = 1;
} finally {
  await Promise.all(started.toReversed().map((one) => one.stop()));
}
