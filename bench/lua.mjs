/**
 * Measures two costs of a script besides its commands: Redis makes its functions again at each run (ADR 162), and formats the numbers that it
 * passes to commands. The times are those that Redis reports for the scripts, without the client and the network.
 *
 *   node bench/lua.mjs
 */
import { createRequire } from 'node:module';
import { quantile, startRedis, table } from './measure.mjs';

const { Redis } = createRequire(import.meta.url)('ioredis');
const ROUNDS = 7;
const RUNS = 200;
const TIMES = 100;

const functions = Array.from({ length: TIMES }, (_, n) => `local function f${n}(a) return a end`).join('\n');
const echo = (argument) => `for n = 1, ${TIMES} do redis.call('ECHO', ${argument}) end`;
/** Each script does one thing a hundred times. The time of a script without it is subtracted. */
const SCRIPTS = {
  none: 'return 1',
  functions: `${functions}\nreturn 1`,
  text: echo("'1764222222222222'"),
  number: echo('1764222222222222 + n'),
  digits: echo("string.format('%d', 1764222222222222 + n)"),
};

const store = await startRedis();
const redis = new Redis(store.url);
const times = Object.fromEntries(Object.keys(SCRIPTS).map((name) => [name, []]));

/** The µs of Redis for one run of a script. */
async function timeOf(sha) {
  await redis.config('RESETSTAT');
  await Promise.all(Array.from({ length: RUNS }, () => redis.evalsha(sha, 0)));
  const [, perCall] = /cmdstat_evalsha:.*usec_per_call=([\d.]+)/.exec(await redis.info('commandstats'));
  return Number(perCall);
}

const digests = {};
for (const [name, script] of Object.entries(SCRIPTS)) digests[name] = await redis.script('LOAD', script);
for (let round = 0; round < ROUNDS; round++)
  for (const name of Object.keys(SCRIPTS)) times[name].push(await timeOf(digests[name]));
redis.disconnect();
await store.stop();

const more = (name, than) => times[name].map((time, round) => (time - times[than][round]) / TIMES);
const rowOf = (what, each) => [
  what,
  quantile(each).toFixed(2),
  `${Math.min(...each).toFixed(2)}–${Math.max(...each).toFixed(2)}`,
];
console.log(`Each script does it ${TIMES} times. Medians of ${ROUNDS} rounds, and their range.\n`);
console.log(
  table(
    ['µs of Redis, each', 'median', 'range'],
    [
      rowOf('a function that a run of a script makes', more('functions', 'none')),
      rowOf('a number of 16 digits as an argument, more than a text', more('number', 'text')),
      rowOf('… if the script writes its digits (`digits.lua`)', more('digits', 'text')),
    ],
  ),
);
