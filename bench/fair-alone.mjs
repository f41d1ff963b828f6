/**
 * Measures what fairness costs a tenant that is alone. One side lets jobs wait in the lanes of their tenants, the other side leaves all jobs in
 * BullMQ's waiting list. The result is the CPU time of each process per invocation, from /proc. Run `npm run build` first.
 *
 *   node bench/fair-alone.mjs [--runs <n>] [--waiting <n>]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuOf } from './cost/measure-cpu.mjs';
import { sendMany, startErrand } from './cost/sides.mjs';
import { WORKLOADS } from './cost/workloads.mjs';
import { noteGoal } from './goals/note-goal.mjs';
import { compared, ratioCells, table } from './measure.mjs';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '13' }, waiting: { type: 'string', default: '10000' } },
});
const [RUNS, WAITING] = [Number(values.runs), Number(values.waiting)];
const PER_BATCH = 100;
const HEADERS = { 'content-type': 'application/json' };
const ECHO = { toolId: 'core:echo', arguments: { value: 'x' } };
const BATCH = { items: Array.from({ length: PER_BATCH }, () => ECHO) };
const JOBS = '{errand}:invocations:';
const PARTS = ['API', 'worker', 'Redis'];
const ALL = 'all three';
const WITHOUT = { NODE_OPTIONS: `--import=${new URL('fair/without-lanes.mjs', import.meta.url)}` };
const NOTES = `Both sides run in turn on one machine, with a Redis, an API and a worker each. A backlog of ${WAITING} jobs is submitted in batches of ${PER_BATCH} while the
queue is paused, and then runs. The aim is at most 1.05 for the sum.`;

async function setQueue({ url }, to) {
  const { href } = new URL(`/v1/queues/invocations/${to}`, url);
  const response = await fetch(href, { method: 'POST', body: '{}', headers: HEADERS });
  if (!response.ok) throw new Error(`${to}: ${response.status} ${await response.text()}`);
}

/** The µs of each process per invocation of a backlog. @param hasLanes whether the backlog must wait in lanes */
async function backlogOf(side, hasLanes) {
  const ended = () => side.redis.zcard(`${JOBS}completed`);
  const [before, endedBefore] = [side.cpu(), await ended()];
  await setQueue(side, 'pause');
  const request = { body: BATCH, headers: () => ({ ...HEADERS }), amount: WAITING / PER_BATCH, inFlight: 4 };
  await sendMany(`${side.url}/batch`, request);
  const isInLanes = (await side.redis.exists(`${JOBS}fair:levels`)) === 1;
  if (isInLanes !== hasLanes) throw new Error(`jobs ${isInLanes ? '' : 'do not '}wait in lanes`);
  await setQueue(side, 'resume');
  while ((await ended()) < endedBefore + WAITING) await delay(50);
  await side.settle();
  return side.cpu().map((ms, n) => ((ms - before[n]) * 1_000) / WAITING);
}

const endToEnd = WORKLOADS.find(({ name }) => name === 'end to end');
const MEASURES = [
  ['a backlog', backlogOf],
  ['64 in flight', (side) => cpuOf(side, { count: () => 0 }, endToEnd, 1)],
];

/** The µs of API, worker, Redis and all together, run by run. */
async function measureBoth() {
  const sides = [await startErrand(['worker']), await startErrand(['worker'], { env: WITHOUT })];
  const measured = async (measure, side) => {
    const [api, worker, , redis] = await measure(side, side === sides[0]);
    return [api, worker, redis, api + worker + redis];
  };
  const results = MEASURES.map(() => []);
  try {
    // The first run compiles the code.
    for (let run = -1; run < RUNS; run++)
      for (const [n, [, measure]] of MEASURES.entries()) {
        const pair = {};
        for (const which of run % 2 === 0 ? [0, 1] : [1, 0])
          pair[['ours', 'theirs'][which]] = await measured(measure, sides[which]);
        if (run >= 0) results[n].push(pair);
      }
    return results;
  } finally {
    for (const side of sides) await side.stop();
  }
}

const rows = [];
for (const [n, rounds] of (await measureBoth()).entries()) {
  const [measured] = MEASURES[n];
  for (const [part, name] of [...PARTS, ALL].entries()) {
    const found = compared({
      ours: rounds.map(({ ours }) => ours[part]),
      theirs: rounds.map(({ theirs }) => theirs[part]),
    });
    rows.push([
      `${String(measured)}: CPU of ${name}, µs`,
      found.ours.toFixed(1),
      found.theirs.toFixed(1),
      ...ratioCells(found),
    ]);
    if (name === ALL) noteGoal(`fair-alone-${n === 0 ? 'backlog' : 'flight'}`, found.ratios);
  }
}
console.log([NOTES, table(['per invocation', 'lanes', 'none', 'ratio', 'range'], rows)].join('\n\n'));
