/**
 * Prints what an invocation costs: CPU time of each process beside the bare route, and commands, round trips and bytes of Redis. The counts
 * are compared with bench/cost/recorded.json. Run `npm run build` first.
 *
 *   node bench/cost.mjs [--runs <n>] [--quick] [--counts] [--no-scripts] [--record]
 *
 * --runs: how often the CPU time is measured; 5 by default. A single run measures it with one tenant only.
 * --quick: few requests for the CPU time, which then only shows that its measurement works. A count that has not grown is measured less often.
 * --counts: no CPU time. --no-scripts: nothing that needs Docker.
 * Exit code 1: a count grew by more than 5 %.
 */
import { parseArgs } from 'node:util';
import { measureCounts } from './cost/measure-counts.mjs';
import { measureCpu } from './cost/measure-cpu.mjs';
import { measureMemory } from './cost/measure-memory.mjs';
import { measureNotifications } from './cost/measure-notifications.mjs';
import { findGrowth, findSlower, readRecorded, writeRecorded } from './cost/recorded-costs.mjs';
import { WORKLOADS } from './cost/workloads.mjs';
import { noteGoal } from './goals/note-goal.mjs';
import { quantile, table } from './measure.mjs';

const TENANTS = [1, 10_000];
const PROCESSES = ['API', 'worker', 'runner', 'Redis'];
const notes = (
  requests,
) => `The counts are exact: the lower quartiles of ${requests} requests that are sent one after the other. The least of them is compared with the recorded counts. The CPU time comes from /proc, with 64 requests in flight.
A ratio above 1 means that Errand needs less CPU time than bare Fastify with BullMQ. The bare side knows no tenants, and its workflow is a chain of ten jobs.`;

const nameOf = (workload, tenants) =>
  `${workload}, ${tenants.toLocaleString('en')} ${tenants === 1 ? 'tenant' : 'tenants'}`;
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** The workloads that can be measured with the same processes, the most processes first. A script-runner that has nothing to do costs nothing. */
function grouped(withScripts) {
  const known = WORKLOADS.filter(({ parts }) => withScripts || !parts.includes('runner'));
  const [alone, worked] = [
    known.filter(({ parts }) => parts.length === 0),
    known.filter(({ parts }) => parts.length > 0),
  ];
  return [
    { parts: ['worker', ...(withScripts ? ['runner'] : [])], workloads: worked },
    { parts: [], workloads: alone },
  ];
}

/** Runs a measurement for each number of tenants. @returns the results by `nameOf` */
async function forAll(measure, numbers = TENANTS) {
  const results = {};
  for (const tenants of numbers) {
    console.error(`${new Date().toISOString()} ${measure.name}: ${tenants} tenants …`);
    for (const [name, result] of Object.entries(await measure(tenants))) results[nameOf(name, tenants)] = result;
  }
  return results;
}

function countTable(counts) {
  const rows = Object.entries(counts).map(([name, each]) => [name, each.commands, each.roundTrips, each.bytes]);
  return table(['per invocation', 'Redis commands', 'round trips', 'bytes'], rows);
}

/** The ratio of a workload: the CPU time of all processes of the bare side, divided by that of Errand. */
const ratioOf = ({ ours, bare }) => (bare ? sum(bare) / sum(ours) : undefined);

function cpuTable(runs) {
  const rows = Object.keys(runs[0]).map((name) => {
    const each = runs.map((one) => one[name]);
    const median = (side, n) => quantile(each.map((measured) => measured[side][n]));
    const shown = (side) => (each[0][side] ? PROCESSES.map((_, n) => Math.round(median(side, n))).join(' + ') : '–');
    const ratios = each.map(ratioOf);
    const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
    return [name, shown('ours'), shown('bare'), ...(each[0].bare ? [quantile(ratios).toFixed(2), range] : ['–', '–'])];
  });
  const processes = PROCESSES.join(' + ');
  return table(
    ['CPU per invocation, µs', `Errand: ${processes}`, `bare: ${processes}`, 'bare / Errand', 'range'],
    rows,
  );
}

function medianRatios(runs) {
  const names = Object.keys(runs[0]).filter((name) => runs[0][name].bare);
  return Object.fromEntries(
    names.map((name) => [name, Number(quantile(runs.map((one) => ratioOf(one[name]))).toFixed(3))]),
  );
}

/** The median µs of each process of Errand. */
function medianCpu(runs) {
  const of = (name, n) => Number(quantile(runs.map((one) => one[name].ours[n])).toPrecision(3));
  return Object.fromEntries(
    Object.keys(runs[0]).map((name) => [
      name,
      Object.fromEntries(PROCESSES.map((process, n) => [process, of(name, n)])),
    ]),
  );
}

/** The costs that bench/capacity.mjs and bench/simulate.mjs need besides the counts. */
async function measureMore(cpu) {
  return { cpu: medianCpu(cpu), memory: await measureMemory(), notifications: await measureNotifications() };
}

/** The lines of the goals table: the ratio, and what each process needs. */
function noteGoals(cpu) {
  const runs = cpu.map((one) => one[nameOf('end to end', 1)]);
  noteGoal('cost', runs.map(ratioOf));
  for (const [n, process] of PROCESSES.entries())
    if (process !== 'runner')
      noteGoal(
        `cost-${process}`,
        runs.map(({ ours }) => ours[n]),
      );
}

/** @returns the text, and whether a count grew */
async function measureCosts({
  runs = 5,
  isQuick = false,
  countsOnly = false,
  withScripts = true,
  isRecording = false,
} = {}) {
  const groups = grouped(withScripts);
  const recorded = readRecorded();
  const countOf = (tenants) => {
    // The least counts only fall with more requests. Those that have not grown keep their verdict.
    const isSmallEnough = (workload, counts) =>
      findGrowth(recorded.counts, { [nameOf(workload, tenants)]: counts }).length === 0;
    return measureCounts(groups, tenants, isQuick && !isRecording ? isSmallEnough : undefined);
  };
  const cpuOf = (tenants) => measureCpu(groups, tenants, isQuick);
  const measured = await forAll(countOf);
  const [counts, least] = ['usual', 'least'].map((which) =>
    Object.fromEntries(Object.entries(measured).map(([name, each]) => [name, each[which]])),
  );
  const cpu = [];
  for (let n = 0; n < (countsOnly ? 0 : runs); n++) cpu.push(await forAll(cpuOf, runs === 1 ? [1] : TENANTS));
  const ratios = cpu.length > 0 ? medianRatios(cpu) : {};
  // Counts can be recorded without the ratios.
  const known = isRecording ? { counts, ratios: cpu.length > 0 ? ratios : recorded.ratios } : recorded;
  if (isRecording) writeRecorded(known);
  const growth = findGrowth(known.counts, least);
  const slower = cpu.length > 1 ? findSlower(known.ratios, ratios) : [];
  if (isRecording && cpu.length > 0) writeRecorded(await measureMore(cpu));
  if (cpu.length > 0) noteGoals(cpu);
  const parts = [
    notes(isQuick ? '7 or more' : 41),
    countTable(counts),
    ...(cpu.length > 0 ? [cpuTable(cpu)] : []),
    ...growth,
    ...slower,
  ];
  return { text: parts.join('\n\n'), hasGrown: growth.length > 0 };
}

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    quick: { type: 'boolean', default: false },
    counts: { type: 'boolean', default: false },
    'no-scripts': { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
});
const { text, hasGrown } = await measureCosts({
  runs: Number(values.runs),
  isQuick: values.quick,
  countsOnly: values.counts,
  withScripts: !values['no-scripts'],
  isRecording: values.record,
});
console.log(text);
process.exitCode = hasGrown ? 1 : 0;
