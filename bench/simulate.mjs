// Simulates 1,000 shards, 100,000 tenants with heavy-tailed load and 1,000,000 invocations a second by discrete events, with a seed. Prints the
// waits of each class of tenants, where the design saturates, and what a lost shard costs. A shard is a complete Errand on one Redis; today
// Errand has one of them. The costs of Redis are those that `node bench/cost.mjs` measures.
//   node bench/simulate.mjs [--seed 1] [--shards 1000] [--simulated 20]
import { parseArgs } from 'node:util';
import { randomFrom } from './drills/random.mjs';
import { quantile, table } from './measure.mjs';
import { simulateShard } from './simulate/simulate-shard.mjs';
import { classOf, CLASSES, drawDurations, drawTenants } from './simulate/tenants.mjs';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    shards: { type: 'string', default: '1000' },
    /** Shards whose events are simulated. All shards are alike, because invocations are spread by turns. */
    simulated: { type: 'string', default: '20' },
    /** What Redis needs for an invocation in µs, to store it, and to end it and take the next. */
    'store-us': { type: 'string', default: '70' },
    'take-us': { type: 'string', default: '110' },
    'mean-ms': { type: 'string', default: '200' },
  },
});
const number = (name) => {
  const value = Number(options[name]);
  if (value > 0) return value;
  throw new Error(`--${name} must be a number above 0, not '${options[name]}'`);
};
const [seed, shards, simulated, meanMs] = ['seed', 'shards', 'simulated', 'mean-ms'].map(number);
const capacity = { storeMs: number('store-us') / 1_000, takeMs: number('take-us') / 1_000, isFair: true };
const PER_SECOND = 1_000_000;
const period = { from: 4_000, to: 10_000 };
const slotsFor = (perMs, load) => Math.ceil((perMs * meanMs) / load);

/** Simulates some of the shards and joins their waits by class. */
function simulate({ perSecond, slots, isFair = true, bursts = [] }) {
  const waits = CLASSES.map(() => []);
  let redisBusy = 0;
  let left = 0;
  for (let shard = 0; shard < simulated; shard++) {
    const random = randomFrom(seed * 1_000 + shard);
    const load = {
      random,
      perMs: perSecond / shards / 1_000,
      tenantOf: drawTenants(random),
      durationMs: drawDurations(random, meanMs),
      bursts,
    };
    const result = simulateShard(load, { ...capacity, slots, isFair }, period);
    for (const [tenant, wait] of result.waits) waits[classOf(tenant)].push(wait);
    redisBusy += result.redisBusy / simulated;
    left += result.left / simulated;
  }
  return { waits, redisBusy, left };
}

const ms = (value) =>
  value === undefined ? '–' : value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
const at = (list, q) => (list.length === 0 ? undefined : quantile(list, q));
const three = (list) => [0.5, 0.95, 0.99].map((q) => ms(at(list, q))).join(' / ');
const perMs = PER_SECOND / shards / 1_000;
const usual = slotsFor(perMs, 0.8);

console.log(`${simulated} of ${shards.toLocaleString('en')} equal shards, seed ${seed}; ${PER_SECOND.toLocaleString('en')} invocations a second of 100,000 tenants; jobs of ${meanMs} ms on average (log-normal);
Redis needs ${options['store-us']} µs to store an invocation, and ${options['take-us']} µs to end one and take the next. Waits in ms: p50 / p95 / p99.\n`);

const flood = [{ at: 3_500, tenant: 0, count: Math.round(usual * 10) }];
const cases = [
  ['80 % of the slots busy', { perSecond: PER_SECOND, slots: usual }],
  [
    'the same, and one tenant submits 10 times the slots at once',
    { perSecond: PER_SECOND, slots: usual, bursts: flood },
  ],
  ['the same flood, first come, first served', { perSecond: PER_SECOND, slots: usual, bursts: flood, isFair: false }],
];
console.log(
  table(
    ['', ...CLASSES.map(({ name }) => name)],
    cases.map(([name, load]) => [name, ...simulate(load).waits.map(three)]),
  ),
);

console.log('\nWhere it saturates: the same shards with more load. Slots grow with the load.\n');
const loads = [0.5, 1, 2, 4, 5, 6].map((factor) => {
  const perSecond = PER_SECOND * factor;
  const { waits, redisBusy, left } = simulate({ perSecond, slots: slotsFor(perMs * factor, 0.8) });
  const growth = left > usual ? `grows by ${Math.round(left).toLocaleString('en')} in 10 s` : 'steady';
  return [perSecond.toLocaleString('en'), `${(redisBusy * 100).toFixed(0)} %`, three(waits.flat()), growth];
});
console.log(table(['invocations a second', 'Redis of a shard busy', 'wait', 'waiting jobs'], loads));

console.log('\nA lost shard: its load goes to the others, and its own invocations wait for the failover.\n');
const lost = [0, 1, 10, 100].map((count) => {
  const perSecond = (PER_SECOND * shards) / (shards - count);
  const { waits } = simulate({ perSecond, slots: usual });
  const held = Math.round(count * perMs * 1_000 + count * usual * 0.8);
  return [count, three(waits.flat()), `${((count / shards) * 100).toFixed(1)} %`, held.toLocaleString('en')];
});
console.log(
  table(
    ['lost shards', 'wait in the others', 'of the keys and sessions get 503', 'invocations that wait for it'],
    lost,
  ),
);
