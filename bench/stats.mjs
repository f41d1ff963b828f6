/**
 * Prints what statistics cost Redis: the CPU time of folding an entry of the log, with one tenant and with an entry of another tenant each, and the
 * bytes of a bucket and of 30 days. Run `npm run build` first.
 *
 *   node bench/stats.mjs [--entries <n>] [--tools <n>]
 */
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { startRedis, table } from './measure.mjs';

const require = createRequire(import.meta.url);
const { Redis } = require('ioredis');
const { foldLog } = require('../dist/libs/queue/src/stats/stats-log.js');
const { keys } = require('../dist/libs/queue/src/redis/names.js');

const AT_ONCE = 1_000;
const TENANTS = 10_000;
/** How many buckets of each length are kept. */
const KEPT = { 10: 360, 60: 2_880, 900: 2_880, 86400: 30 };

const { values } = parseArgs({
  options: { entries: { type: 'string', default: '100000' }, tools: { type: 'string', default: '10' } },
});
const [entries, tools] = [Number(values.entries), Number(values.tools)];

/** The entries of an invocation: its acceptance and its end. */
function entriesOf(n, tenant, at) {
  const common = { tenant, queue: 'invocations', tools: [`tools:tool-${n % tools}`], agent: `a${n % 5}` };
  const accepted = JSON.stringify({ ...common, kind: 'accepted' });
  const ended = JSON.stringify({ ...common, kind: 'ended', outcome: 'succeeded' });
  return [`${at} - - ${accepted}`, `${at} ${n % 300} ${(n * 7) % 5_000} ${ended}`];
}

/** The ms of CPU that Redis has used. */
async function cpuMs(redis) {
  const text = await redis.info('cpu');
  return (
    ['user', 'sys'].reduce((sum, part) => sum + Number(RegExp(`used_cpu_${part}:([0-9.]+)`).exec(text)[1]), 0) * 1_000
  );
}

/** The µs of Redis for folding an entry. All entries are of one moment, so that a tenant has one bucket of each length. */
async function foldingCost(redis, tenantOf) {
  const at = Date.now();
  let ms = 0;
  for (let n = 0; n < entries / 2; n += AT_ONCE / 2) {
    const texts = Array.from({ length: AT_ONCE / 2 }, (_, k) => entriesOf(n + k, tenantOf(n + k), at)).flat();
    await redis.rpush(keys.statsLog, ...texts);
    const before = await cpuMs(redis);
    await foldLog({ redis });
    ms += (await cpuMs(redis)) - before;
  }
  return (ms / entries) * 1_000;
}

const store = await startRedis();
const redis = new Redis(store.url);
const one = await foldingCost(redis, () => 'default');
const many = await foldingCost(redis, (n) => `tenant-${n % TENANTS}`);
const rows = [];
let whole = 0;
for (const [seconds, kept] of Object.entries(KEPT)) {
  const [bucket] = await redis.keys(`{errand}:stats:default:${seconds}:*`);
  const bytes = await redis.memory('USAGE', bucket, 'SAMPLES', '0');
  whole += bytes * kept;
  rows.push([`${seconds} s`, bytes, kept, `${((bytes * kept) / 1e6).toFixed(1)} MB`]);
}
console.log(
  `Folding an entry takes ${one.toFixed(1)} µs of Redis with one tenant and ${tools} tools, ${many.toFixed(1)} µs with ${TENANTS} tenants.\n`,
);
console.log(table(['bucket', 'bytes', 'kept', 'all of them'], rows));
console.log(`\nA tenant whose ${tools} tools work all the time has ${(whole / 1e6).toFixed(1)} MB in 30 days.`);
redis.disconnect();
await store.stop();
