/**
 * Compares the accept rate of an API while it keeps refusals and while it keeps none. One of five submissions is refused. Then
 * prints the bytes that a refusal and a text take in Redis. Run `npm run build` first.
 *
 *   node bench/refusals.mjs [rounds]      100 by default
 */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { noteGoal } from './goals/note-goal.mjs';
import { quantile, ratioCells, sideBySide, startModule, startRedis, table } from './measure.mjs';

const require = createRequire(import.meta.url);
const autocannon = require('autocannon');
const { Redis } = require('ioredis');

const ROUNDS = Number(process.argv[2] ?? 100);
/** The rounds make this many runs of the goal. */
const RUNS = 5;
const REQUESTS = 1_500;
/** Longer than refusals are gathered (ms): a round ends after its last refusal is stored. */
const SETTLE_MS = 150;
const SAMPLES = 1_000;
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
  return { url: api.ready, redis: redis.url, child: api.child };
}

/**
 * Accepted submissions per second of processor time of the API, while one of five is refused and the API keeps refusals or keeps none.
 * Processor time depends less on other load than a rate does.
 */
async function acceptRate({ url, child }, isKept) {
  const before = await cpuTime(child, { isKept });
  const requests = Array.from({ length: 50 }, (_, n) => requestOf(n % 5 === 0 ? WRONG : RIGHT, n));
  const found = await autocannon({ url, requests, connections: 64, amount: REQUESTS });
  if (found.errors > 0) throw new Error(`${found.errors} requests failed`);
  await sleep(SETTLE_MS);
  return (found['2xx'] * 1_000_000) / ((await cpuTime(child, { isKept })) - before);
}

/** The processor time that the API has used, in µs, after it has heard whether it keeps refusals. */
async function cpuTime(child, order) {
  child.send(order);
  const [{ user, system }] = await once(child, 'message');
  return user + system;
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
      await sleep(1_500);
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
  for (const isKept of [true, false, true, false, true, false]) await acceptRate(keeps, isKept);
  const rates = await sideBySide(
    ROUNDS,
    () => acceptRate(keeps, true),
    () => acceptRate(keeps, false),
  );
  keeps.child.send({ isKept: true });
  // The speed of a machine changes from minute to minute: the two sides of a round are compared, not those of all rounds.
  const median = quantile(rates.ratios);
  const size = Math.ceil(ROUNDS / RUNS);
  const runs = Array.from({ length: RUNS }, (_, n) => quantile(rates.ratios.slice(n * size, (n + 1) * size)));
  noteGoal('refusals', runs);
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
  const fresh = await startErrand({});
  const rows = [];
  for (const [name, text] of [
    ['a text of 360 bytes', RIGHT],
    ['a text of 64 KiB', wrap('word '.repeat(13_000))],
  ])
    rows.push([name, (await bytesOf(fresh, text)) - (await bytesOf(off, text))]);
  rows.push(['a refusal of 70 bytes', await bytesOf(fresh, WRONG)]);
  rows.push(['a refusal of 64 KiB', await bytesOf(fresh, WRONG.padEnd(65_000, ' x'))]);
  console.log(`\n${table(['kept', 'bytes in Redis'], rows)}`);
} finally {
  await Promise.all(started.toReversed().map((one) => one.stop()));
}
