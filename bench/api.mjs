/**
 * Accepts, runs and reads invocations, and compares that with the smallest equivalent on raw BullMQ. Then compares Errand with a long
 * history and Errand with a short one. Run `npm run build` first.
 *
 *   node bench/api.mjs [history]      the number of ended invocations; 200,000 by default
 */
import { fileURLToPath } from 'node:url';
import { fillHistory } from './fill-history.mjs';
import { noteGoal } from './goals/note-goal.mjs';
import { bulkRate, latenciesOf, newsLatencies, rateOf } from './load.mjs';
import { compared, inTurn, quantile, ratioCells, sideBySide, startModule, startRedis, table } from './measure.mjs';
import { memoryPerJob } from './redis-memory.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const HISTORY = Number(process.argv[2] ?? 200_000);
const LITTLE = 10;
const ROUNDS = 5;
/** The aim of batches is one for nine of ten runs. */
const BULK_ROUNDS = 10;
const HISTORY_ROUNDS = 3;
/** One request at a time: the rounds, and the requests of each. */
const ALONE_ROUNDS = 15;
const ONE_BY_ONE = 200;
const CALL = { toolId: 'core:echo', arguments: { value: 'x' } };
const BODY = JSON.stringify(CALL);
const BATCH = JSON.stringify({ items: Array.from({ length: 100 }, () => CALL) });
const TOLD = JSON.stringify({ ...CALL, callback: { url: 'http://127.0.0.1:9/' } });
const WAITING = { 'content-type': 'application/json', prefer: 'wait=60' };
/** The common setup of both sides, and the work that only Errand does. */
const NOTES = `Both sides have a Redis of their own with an append-only file that is written to disk every second, the same flags of V8, and the same requests over HTTP.
The ratios are those of the medians of five rounds (ten beside \`addBulk\` without HTTP, fifteen for requests one at a time, three with a history), with the lowest and the highest ratio of a round.
The bare side does less: it neither checks arguments, knows tenants, keys or cancel requests, nor writes events and search indexes.`;

/** No invocation is removed during the measurement. */
const ENV = {
  ERRAND_PORT: '0',
  ERRAND_LOG_LEVEL: 'error',
  ERRAND_RETENTION_COUNT: '10000000',
  ERRAND_CALLBACK_ALLOW: '127.0.0.1',
};

/** All processes that `endAll` stops. */
const started = [];
async function start(module, vars) {
  const process = await startModule(here(module), vars);
  started.push(process);
  return process;
}
async function startStore() {
  const redis = await startRedis();
  started.push(redis);
  return redis;
}
/** An API on a Redis of its own; `work` starts a worker beside it. */
async function startErrand() {
  const redis = await startStore();
  const env = { ...ENV, ERRAND_REDIS_URL: redis.url };
  const api = await start('start-app.mjs', { ...env, APP: 'api' });
  return { url: `${api.ready}/v1/invocations`, redis, work: () => start('start-app.mjs', { ...env, APP: 'worker' }) };
}
async function startBare() {
  const redis = await startStore();
  const { ready } = await start('bare-route.mjs', { REDIS_URL: redis.url });
  return { url: ready, redis, work: () => start('bare-worker.mjs', { REDIS_URL: redis.url }) };
}

const post = (url, body, headers) => ({ url, method: 'POST', body, ...(headers && { headers }) });
const invokeAt = async (url) => (await fetch(url, { method: 'POST', body: BODY, headers: WAITING })).json();

const rowOf = (format) => (what, measured) => [
  what,
  format(measured.ours),
  format(measured.theirs),
  ...ratioCells(measured),
];
const rates = rowOf((rate) => `${Math.round(rate)}/s`);
const times = rowOf((ms) => `${ms.toFixed(2)} ms`);
const sizes = rowOf((bytes) => `${Math.round(bytes)} B`);

/** Errand and bare Fastify with BullMQ: how fast each accepts work without a worker. */
async function besideBare() {
  const [errand, bare] = [await startErrand(), await startBare()];
  const jobs = `${bare.url}/jobs`;
  const redisUrls = { ours: errand.redis.url, theirs: bare.redis.url };
  const sizesOf = [];
  for (let round = 0; round < ROUNDS; round++) sizesOf.push(await memoryPerJob(errand.url, redisUrls, CALL));
  const side = (which) => sizesOf.map((size) => size[which]);
  const memory = compared({ ours: side('ours'), theirs: side('theirs') });
  const accept = await sideBySide(
    ROUNDS,
    () => rateOf(post(errand.url, BODY)),
    () => rateOf(post(jobs, BODY)),
  );
  const told = await sideBySide(
    ROUNDS,
    () => rateOf(post(errand.url, TOLD)),
    () => rateOf(post(`${bare.url}/flows`, BODY)),
  );
  const batch = await sideBySide(
    ROUNDS,
    () => rateOf(post(`${errand.url}/batch`, BATCH), { connections: 4, each: 100 }),
    () => rateOf(post(`${bare.url}/bulk`, BATCH), { connections: 4, each: 100 }),
  );
  const bulk = await sideBySide(
    BULK_ROUNDS,
    () => rateOf(post(`${errand.url}/batch`, BATCH), { connections: 4, each: 100 }),
    () => bulkRate(bare.redis.url, CALL, { inFlight: 4, each: 100 }),
  );
  noteGoal('accept', accept.ratios);
  noteGoal('bulk', bulk.ratios);
  noteGoal('memory', memory.ratios);
  return [
    rates('accepted over HTTP, 64 in flight; bare: a route with `add`', accept),
    rates('… each with a callback; bare: a flow of a parent and a child', told),
    rates('… in batches of 100, 4 in flight; bare: a route with `addBulk`', batch),
    rates('… in batches of 100, 4 in flight; bare: `addBulk` without HTTP', bulk),
    sizes('Redis memory of a waiting invocation; bare: a job with the same data and options (lower is better)', memory),
  ];
}

async function throughBare() {
  const [errand, bare] = [await startErrand(), await startBare()];
  const jobs = `${bare.url}/jobs`;
  await Promise.all([errand.work(), bare.work()]);
  const [{ id }, { id: bareId }] = [await invokeAt(errand.url), await invokeAt(jobs)];
  const through = await sideBySide(
    ROUNDS,
    () => rateOf(post(errand.url, BODY, WAITING)),
    () => rateOf(post(jobs, BODY, WAITING)),
  );
  const reads = await sideBySide(
    ROUNDS,
    () => rateOf({ url: `${errand.url}/${id}` }),
    () => rateOf({ url: `${jobs}/${bareId}` }),
  );
  const took = await inTurn(
    ALONE_ROUNDS,
    () => latenciesOf({ url: errand.url, body: BODY, headers: WAITING }, ONE_BY_ONE),
    () => latenciesOf({ url: jobs, body: BODY, headers: WAITING }, ONE_BY_ONE),
  );
  const alone = quantiles(took, 0.5);
  noteGoal('through', through.ratios);
  noteGoal('alone', alone.ratios);
  return [
    rates('no-op node end to end, 64 in flight; bare: a worker that returns its input', through),
    times('no-op node end to end, one at a time, p50 (lower is better)', alone),
    times('no-op node end to end, one at a time, p99 (lower is better)', quantiles(took, 0.99)),
    rates('status of an ended invocation, 64 in flight; bare: `getJob` and `getState`', reads),
  ];
}

/** Compares a quantile of the latencies of each round. */
function quantiles({ ours, theirs }, q) {
  const of = (rounds) => rounds.map((latencies) => quantile(latencies, q));
  return compared({ ours: of(ours), theirs: of(theirs) });
}

/** The same Errand with a long history and with a short one. */
async function withHistory() {
  const [much, little] = [await startErrand(), await startErrand()];
  for (const [{ url, redis, work }, count] of [
    [much, HISTORY],
    [little, LITTLE],
  ]) {
    await work();
    const { id } = await invokeAt(url);
    await fillHistory(redis.url, id, count);
  }
  const each = (measure) =>
    sideBySide(
      HISTORY_ROUNDS,
      () => measure(much.url),
      () => measure(little.url),
    );
  const [{ id: ofMuch }, { id: ofLittle }] = [await invokeAt(much.url), await invokeAt(little.url)];
  const rows = [
    rates('no-op node end to end, 64 in flight', await each((url) => rateOf(post(url, BODY, WAITING)))),
    rates(
      'status',
      await sideBySide(
        HISTORY_ROUNDS,
        () => rateOf({ url: `${much.url}/${ofMuch}` }),
        () => rateOf({ url: `${little.url}/${ofLittle}` }),
      ),
    ),
    rates('the first page of the list', await each((url) => rateOf({ url: `${url}?limit=10` }))),
    rates(
      '… of succeeded invocations of one tool',
      await each((url) => rateOf({ url: `${url}?limit=10&toolId=core:echo&status=succeeded` })),
    ),
  ];
  const since = encodeURIComponent(new Date(Date.now() - 86_400_000).toISOString());
  rows.push(
    rates(
      '… of several statuses',
      await each((url) => rateOf({ url: `${url}?limit=10&status=failed,succeeded,queued` })),
    ),
    rates('… of changes since a time', await each((url) => rateOf({ url: `${url}?limit=10&updatedAfter=${since}` }))),
    rates('… with its count', await each((url) => rateOf({ url: `${url}?limit=10&status=succeeded&count=true` }))),
  );
  const took = { ours: [], theirs: [] };
  for (let round = 0; round < HISTORY_ROUNDS; round++) {
    took.theirs.push(await newsLatencies(little.url, ONE_BY_ONE));
    took.ours.push(await newsLatencies(much.url, ONE_BY_ONE));
  }
  return [
    ...rows,
    times('from the end to the event at a listener, p50 (lower is better)', quantiles(took, 0.5)),
    times('from the end to the event at a listener, p99 (lower is better)', quantiles(took, 0.99)),
  ];
}

async function endAll() {
  await Promise.all(
    started
      .splice(0)
      .toReversed()
      .map((one) => one.stop()),
  );
}

async function ending(measure) {
  try {
    return await measure();
  } finally {
    await endAll();
  }
}

export async function run() {
  const rows = [...(await ending(besideBare)), ...(await ending(throughBare))];
  const behind = await ending(withHistory);
  return [
    NOTES,
    table(['measured', 'Errand', 'bare Fastify + BullMQ', 'ratio', 'range'], rows),
    table(
      ['measured', ...[HISTORY, LITTLE].map((count) => `${count} ended invocations in Redis`), 'ratio', 'range'],
      behind,
    ),
  ].join('\n\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await run());
