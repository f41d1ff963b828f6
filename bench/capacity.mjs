/**
 * Prints how many processes a load needs, and where the design breaks first, from the costs that `node bench/cost.mjs --record` has recorded.
 *
 *   node bench/capacity.mjs [--rates 100,1000] [--workload 'end to end'] [--tenants 10000] [--mean-ms 200] [--busy 0.6] [--write]
 *
 * --write: writes the numbers to docs/capacity.md
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { boundsOf, planFor } from './capacity/plan.mjs';
import { costsOf } from './capacity/recorded.mjs';
import { table } from './measure.mjs';

const PAGE = fileURLToPath(new URL('../docs/capacity.md', import.meta.url));
const [BEGIN, END] = ['<!-- numbers of bench/capacity.mjs -->', '<!-- end of the numbers -->'];

const { values: options } = parseArgs({
  options: {
    rates: { type: 'string', default: '100,1000,10000,100000,1000000' },
    workload: { type: 'string', default: 'end to end' },
    tenants: { type: 'string', default: '10000' },
    'mean-ms': { type: 'string', default: '200' },
    busy: { type: 'string', default: '0.6' },
    'per-cell': { type: 'string', default: '20000' },
    write: { type: 'boolean', default: false },
  },
});

function numberOf(name, text = options[name], most = 1e9) {
  const value = Number(text);
  if (value > 0 && value <= most) return value;
  throw new Error(`--${name} must be a number above 0, up to ${most}, not '${text}'`);
}

const rates = options.rates.split(',').map((rate) => numberOf('rates', rate));
const costs = costsOf(options.workload, numberOf('tenants'));
const assumed = {
  busy: numberOf('busy', options.busy, 1),
  meanMs: numberOf('mean-ms'),
  perCell: numberOf('per-cell'),
  /** `ERRAND_WORKER_CONCURRENCY` and `ERRAND_RETENTION_COUNT` by default. */
  slots: 100,
  kept: 100_000,
  /** A worker has one for commands, one that blocks, one for notifications and one for its running jobs. */
  connections: 4,
  /** Redis's own default, and the highest number of nodes that its specification aims at, half of them replicas. */
  maxClients: 10_000,
  maxNodes: 500,
};

const whole = (value) => (value === Infinity ? 'none is enough' : Math.round(value).toLocaleString('en'));
const rounded = (rate) => whole(Number(rate.toPrecision(2)));

function planPage() {
  const { api, worker, runner, redis, commands, roundTrips, bytes, memory, notifications } = costs;
  const plans = rates.map((rate) => {
    const { cells, all, ...one } = planFor(rate, costs, assumed);
    const each = ['api', 'workers', ...(runner > 0 ? ['runners'] : []), 'shards'].map((kind) =>
      whole(one[kind] * cells),
    );
    return [whole(rate), whole(cells), ...each, whole(all), one.megabits.toFixed(0), whole(one.connections)];
  });
  const kinds = ['API', 'workers', ...(runner > 0 ? ['script-runners'] : []), 'Redis primaries'];
  return `One invocation of the workload "${costs.name}" needs:

${table(
  ['what', 'measured'],
  [
    [
      'CPU of the API, a worker, a script-runner and Redis',
      [api, worker, runner, redis].map((us) => `${Math.round(us)} µs`).join(', '),
    ],
    ['commands and round trips of Redis', `${commands} and ${roundTrips}`],
    ['bytes to and from Redis', whole(bytes)],
    [
      'memory of Redis while it waits, and after its end',
      `${whole(memory.waiting.bytes)} B, ${whole(memory.ended.bytes)} B (keys: ${memory.waiting.keys}, ${memory.ended.keys})`,
    ],
    [
      'CPU of one notification for each process that receives it',
      `${notifications.sendUs} µs in Redis, ${notifications.receiveUs} µs in the process`,
    ],
  ],
)}

Processes, with ${assumed.meanMs} ms for a job on average, ${assumed.slots} slots a worker, ${Math.round(assumed.busy * 100)} % of a core for each process, and cells of up to ${whole(assumed.perCell)} invocations a second:

${table(['invocations a second', 'cells', ...kinds, 'all processes', 'Mbit/s of each Redis', 'its connections'], plans)}

Each Redis keeps up to ${whole(assumed.kept)} ended invocations (\`ERRAND_RETENTION_COUNT\`) in ${((assumed.kept * memory.ended.bytes) / 1e9).toFixed(2)} GB. A million that wait need ${((1e6 * memory.waiting.bytes) / 1e9).toFixed(2)} GB.

The bounds of one cell, the lowest first:

${table(
  ['bound', 'invocations a second', 'what helps'],
  boundsOf(costs, assumed).map(([what, rate, help]) => [what, rounded(rate), help]),
)}`;
}

const text = planPage();
if (options.write) {
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const [, after] = rest?.split(END) ?? [];
  if (after === undefined) throw new Error(`docs/capacity.md has no line ${BEGIN} with a line ${END} behind it`);
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${text}\n\n${END}${after}`);
} else console.log(text);
