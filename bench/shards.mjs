/**
 * Measures what eight shards cost on one Redis, beside one shard: the CPU time of each process per invocation, from /proc, and the commands of
 * Redis. Run `npm run build` first.
 *
 *   node bench/shards.mjs [--runs <n>] [--in-flight <n>]
 */
import { parseArgs } from 'node:util';
import { cpuOf } from './cost/measure-cpu.mjs';
import { startErrand, startReceiver } from './cost/sides.mjs';
import { WORKLOADS } from './cost/workloads.mjs';
import { noteGoal } from './goals/note-goal.mjs';
import { compared, ratioCells, table } from './measure.mjs';

const SHARDS = 8;
const NAMES = ['accepting', 'end to end', 'workflow of 10 nodes'];
const PARTS = ['API', 'worker', 'runner', 'Redis'];
const REDIS = PARTS.indexOf('Redis');
const NOTES = `Both sides run in turn on one server, ${SHARDS} shards beside one. A ratio above 1 means that the shards need more. A Cluster has the same work, on several servers.`;

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '13' }, 'in-flight': { type: 'string', default: '64' } },
});
const runs = Number(values.runs);
const workloads = WORKLOADS.filter(({ name }) => NAMES.includes(name)).map((workload) => ({
  ...workload,
  inFlight: Number(values['in-flight']),
}));

async function commandsOf({ redis }) {
  return Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))[1]);
}

/** @returns the µs of each process and the commands of Redis per invocation */
async function measure(side, receiver, workload) {
  const before = await commandsOf(side);
  const cpu = await cpuOf(side, receiver, workload, 1);
  return { cpu, commands: ((await commandsOf(side)) - before) / (workload.amount + workload.warmUp) };
}

/** The results of one side for each workload, run by run. */
async function measureBoth() {
  const receiver = await startReceiver();
  const one = await startErrand(['worker'], { env: { ERRAND_SHARDS: '1' } });
  const several = await startErrand(['worker'], { env: { ERRAND_SHARDS: String(SHARDS) } });
  try {
    const results = workloads.map(() => []);
    const sides = Object.entries({ theirs: one, ours: several });
    for (const [, side] of sides) for (const workload of workloads) await cpuOf(side, receiver, workload, 1);
    for (let run = 0; run < runs; run++)
      for (const [n, workload] of workloads.entries()) {
        const result = {};
        for (const [name, side] of run % 2 === 0 ? sides : sides.toReversed())
          result[name] = await measure(side, receiver, { ...workload, warmUp: workload.inFlight });
        results[n].push(result);
      }
    return results;
  } finally {
    receiver.stop();
    await one.stop();
    await several.stop();
  }
}

function rowOf(what, rounds, read) {
  const result = compared({
    ours: rounds.map(({ ours }) => read(ours)),
    theirs: rounds.map(({ theirs }) => read(theirs)),
  });
  return { row: [what, result.theirs.toFixed(1), result.ours.toFixed(1), ...ratioCells(result)], result };
}

const results = await measureBoth();
const rows = [];
for (const [n, { name }] of workloads.entries()) {
  for (const [part, process] of PARTS.entries())
    if (process !== 'runner')
      rows.push(rowOf(`${name}: CPU of ${process}, µs`, results[n], ({ cpu }) => cpu[part]).row);
  rows.push(rowOf(`${name}: commands of Redis`, results[n], ({ commands }) => commands).row);
  if (name === 'end to end') noteGoal('shards', rowOf('', results[n], ({ cpu }) => cpu[REDIS]).result.ratios);
}
console.log([NOTES, table(['per invocation', 'one shard', `${SHARDS} shards`, 'ratio', 'range'], rows)].join('\n\n'));
