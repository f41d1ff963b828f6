/**
 * Simulates 1,000 shards, 100,000 tenants with heavy-tailed load and 1,000,000 invocations a second by discrete events, with a seed. Prints the
 * waits of each class of tenants, where the design saturates, and what a lost shard costs. A shard is a complete Errand on one Redis. What Redis
 * needs for an invocation comes from the costs that `node bench/cost.mjs --record` has recorded.
 *
 *   node bench/simulate.mjs [--seed 1] [--shards 1000] [--simulated 10] [--per-second 1000000] [--mean-ms 200] [--seconds 10]
 */
import { parseArgs } from 'node:util';
import { costsOf } from './capacity/recorded.mjs';
import { randomFrom } from './drills/random.mjs';
import { quantile, table } from './measure.mjs';
import { simulateShard } from './simulate/simulate-shard.mjs';
import { classOf, CLASSES, drawDurations, drawTenants } from './simulate/tenants.mjs';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    shards: { type: 'string', default: '1000' },
    /** Shards whose events are simulated. All shards are alike, because invocations are spread by turns. */
    simulated: { type: 'string', default: '10' },
    'per-second': { type: 'string', default: '1000000' },
    'mean-ms': { type: 'string', default: '200' },
    seconds: { type: 'string', default: '10' },
    /** What Redis needs in µs to store an invocation, and to end one and take the next, in place of the recorded costs. */
    'store-us': { type: 'string' },
    'take-us': { type: 'string' },
  },
});
const number = (name, text = options[name]) => {
  const value = Number(text);
  if (value > 0 && value <= 1e9) return value;
  throw new Error(`--${name} must be a number above 0, not '${text}'`);
};
const [seed, shards, simulated, meanMs, perSecond, seconds] = [
  'seed',
  'shards',
  'simulated',
  'mean-ms',
  'per-second',
  'seconds',
].map((name) => number(name));
const recorded = options['store-us'] && options['take-us'] ? undefined : costsOf('end to end', 10_000);
const storeUs = number('store-us', options['store-us'] ?? recorded.storeUs);
const takeUs = number('take-us', options['take-us'] ?? recorded.redis - recorded.storeUs);

/** The first two fifths of the time fill the shards, and do not count. */
const period = { from: seconds * 400, to: seconds * 1_000 };
/** The invocations a second that one Redis can store, take and end. */
const MOST_PER_SHARD = 1e6 / (storeUs + takeUs);
const BUSY = 0.8;
const perMs = perSecond / shards / 1_000;
const slotsFor = (rate) => Math.ceil((rate * meanMs) / BUSY);
const usual = slotsFor(perMs);

/** Simulates some of the shards, each with this rate per ms, and joins their waits by class. */
function simulate({ rate = perMs, slots = usual, isFair = true, bursts = [] }) {
  const waits = CLASSES.map(() => []);
  let [redisBusy, left] = [0, 0];
  for (let shard = 0; shard < simulated; shard++) {
    const random = randomFrom(seed * 1_000 + shard);
    const load = {
      random,
      perMs: rate,
      tenantOf: drawTenants(random),
      durationMs: drawDurations(random, meanMs),
      bursts,
    };
    const capacity = { slots, storeMs: storeUs / 1_000, takeMs: takeUs / 1_000, isFair };
    const result = simulateShard(load, capacity, period);
    for (const [tenant, wait] of result.waits) waits[classOf(tenant)].push(wait);
    redisBusy += result.redisBusy / simulated;
    left += result.left / simulated;
  }
  return { waits, redisBusy, left };
}

const whole = (value) => Math.round(value).toLocaleString('en');
const ms = (value) => (value === undefined ? '–' : value < 10 ? value.toFixed(1) : whole(value));
const at = (list, q) => (list.length === 0 ? undefined : quantile(list, q));
const three = (list) => [0.5, 0.95, 0.99].map((q) => ms(at(list, q))).join(' / ');
const percent = (part) => `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`;

/** The waits of each class of tenants: as usual, beside a flood, and beside the same flood without fair admission. */
function waitsByClass() {
  const bursts = [{ at: period.from * 0.9, tenant: 0, count: usual * 10 }];
  const cases = [
    ['80 % of the slots busy', {}],
    ['the same, and one tenant submits 10 times the slots at once', { bursts }],
    ['the same flood, first come, first served', { bursts, isFair: false }],
  ];
  return table(
    ['', ...CLASSES.map(({ name }) => name)],
    cases.map(([name, load]) => [name, ...simulate(load).waits.map(three)]),
  );
}

/** More and more load on the same shards, up to more than Redis can do. Slots grow with the load. */
function saturation() {
  const rows = [0.25, 0.5, 0.8, 0.9, 0.95, 1.1].map((part) => {
    const rate = (MOST_PER_SHARD * part) / 1_000;
    const { waits, redisBusy, left } = simulate({ rate, slots: slotsFor(rate) });
    const most = slotsFor(rate);
    const growth = left > most ? `grows by ${whole(left)} in ${seconds} s` : 'steady';
    return [whole(rate * 1_000 * shards), percent(redisBusy), three(waits.flat()), growth];
  });
  return table(['invocations a second', 'Redis of a shard busy', 'wait', 'waiting jobs of a shard'], rows);
}

/** Lost shards: the load of the others, and what waits for the failover. Up to as many as the others can bear, and more. */
function lostShards() {
  const counts = [...new Set([0, 1, shards / 100, shards / 10, shards / 5].map(Math.round))].filter((n) => n < shards);
  const rows = counts.map((count) => {
    const rate = (perMs * shards) / (shards - count);
    const { waits, left } = simulate({ rate });
    // Those that came in a second of the failover, and those that run or wait at its begin.
    const held = count * (perMs * 1_000 + usual * BUSY);
    return [count, three(waits.flat()), left > usual ? 'grow' : 'steady', percent(count / shards), whole(held)];
  });
  const head = ['lost shards', 'wait in the others', 'waiting jobs there', 'of the keys and sessions get 503'];
  return table([...head, 'invocations that wait for a failover of 1 s'], rows);
}

console.log(`${simulated} of ${whole(shards)} equal shards for ${seconds} s, seed ${seed}; ${whole(perSecond)} invocations a second of 100,000 tenants; jobs of ${meanMs} ms on
average (log-normal), ${usual} slots a shard. Redis needs ${storeUs} µs to store an invocation, and ${whole(takeUs)} µs to end one and take the next.
Waits in ms: p50 / p95 / p99. Tenants are ranked by load.

${waitsByClass()}

Saturation: one Redis can do ${whole(MOST_PER_SHARD)} invocations a second, ${whole(shards)} of them ${whole(MOST_PER_SHARD * shards)}.

${saturation()}

A lost shard: its load goes to the others, whose slots stay as they are. Its own invocations wait for the failover.

${lostShards()}`);
