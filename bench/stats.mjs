/**
 * Prints what statistics cost Redis: the time of folding an entry of the log, and the bytes of a bucket and of 30 days. Run `npm run build`
 * first.
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
/** How many buckets of each length are kept. */
const KEPT = { 10: 360, 60: 2_880, 900: 2_880, 86400: 30 };

const { values } = parseArgs({
  options: { entries: { type: 'string', default: '100000' }, tools: { type: 'string', default: '10' } },
});
const [entries, tools] = [Number(values.entries), Number(values.tools)];

/** The entries of an invocation: its acceptance and its end. All are of one moment, so that each length has one bucket. */
function entriesOf(n, at) {
  const common = { tenant: 'default', queue: 'invocations', tools: [`tools:tool-${n % tools}`], agent: `a${n % 5}` };
  const accepted = JSON.stringify({ ...common, kind: 'accepted' });
  const ended = JSON.stringify({ ...common, kind: 'ended', outcome: 'succeeded' });
  return [`${at} - - ${accepted}`, `${at} ${n % 300} ${(n * 7) % 5_000} ${ended}`];
}

const store = await startRedis();
const redis = new Redis(store.url);
const at = Date.now();
let ms = 0;
for (let n = 0; n < entries / 2; n += AT_ONCE / 2) {
  const texts = Array.from({ length: AT_ONCE / 2 }, (_, k) => entriesOf(n + k, at)).flat();
  await redis.rpush(keys.statsLog, ...texts);
  const begun = performance.now();
  await foldLog({ redis });
  ms += performance.now() - begun;
}
const rows = [];
let whole = 0;
for (const [seconds, kept] of Object.entries(KEPT)) {
  const [bucket] = await redis.keys(`{errand}:stats:default:${seconds}:*`);
  const bytes = await redis.memory('USAGE', bucket, 'SAMPLES', '0');
  whole += bytes * kept;
  rows.push([`${seconds} s`, bytes, kept, `${((bytes * kept) / 1e6).toFixed(1)} MB`]);
}
console.log(`Folding an entry takes ${((ms / entries) * 1_000).toFixed(1)} µs of Redis, ${tools} tools.\n`);
console.log(table(['bucket', 'bytes', 'kept', 'all of them'], rows));
console.log(`\nA tenant whose ${tools} tools work all the time has ${(whole / 1e6).toFixed(1)} MB in 30 days.`);
redis.disconnect();
await store.stop();
