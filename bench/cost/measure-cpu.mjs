// The CPU time of each process per invocation, with many requests in flight, for Errand and for the bare route.
import { setTimeout as delay } from 'node:timers/promises';
import { fillTenants, headersFor, sendMany, startBare, startErrand, startReceiver } from './sides.mjs';

const IN_FLIGHT = 64;
/** How often each side is measured, in turn with the other. The speed of a machine can change within a minute. */
const TURNS = 3;
/** A quick measurement: this share of the requests in a single turn. Each number is then at least that of the requests in flight. */
const QUICK = { share: 0.02, turns: 1 };

/**
 * Measures workloads; each group has processes of its own. A quick measurement has the same processes for all, with the usual start of
 * tests, so that it only shows that the measurement works.
 * @param groups `{parts, workloads}`, the largest `parts` first
 * @returns for each workload: `ours` and `bare`, each the µs of API, worker, runner and Redis per invocation; `bare` is absent without
 *   an equivalent
 */
export async function measureCpu(groups, tenants, isQuick) {
  if (isQuick) return cpuOfGroups(groups, tenants, { ...QUICK, isQuick, execArgv: [] });
  const results = {};
  for (const group of groups) Object.assign(results, await cpuOfGroups([group], tenants, { share: 1, turns: TURNS }));
  return results;
}

async function cpuOfGroups(groups, tenants, { share, turns, isQuick = false, execArgv }) {
  const [{ parts }] = groups;
  const receiver = await startReceiver();
  const [ours, bare] = [await startErrand(parts, { execArgv }), await startBare(parts, execArgv)];
  try {
    await fillTenants(ours, tenants, isQuick);
    const result = {};
    for (const group of groups) {
      for (const side of [ours, bare]) await side.keepOnly(group.parts);
      for (const whole of group.workloads) {
        const workload = shortened(whole, share);
        const sides = { ours: { side: ours, tenants }, ...(workload.barePath && { bare: { side: bare, tenants: 1 } }) };
        result[workload.name] = await cpuInTurn(Object.entries(sides), receiver, workload, turns);
      }
    }
    return result;
  } finally {
    receiver.stop();
    await ours.stop();
    await bare.stop();
  }
}

function shortened({ warmUp, ...workload }, share) {
  const [amount, before] = [workload.amount, warmUp ?? workload.amount / 3].map((count) => Math.ceil(count * share));
  return { ...workload, amount, warmUp: before };
}

/** The µs of each process per invocation by name of the side, from so many parts of the requests. */
async function cpuInTurn(sides, receiver, workload, turns) {
  const { inFlight = IN_FLIGHT } = workload;
  const amount = Math.max(inFlight, Math.ceil(workload.amount / turns));
  const parts = Object.fromEntries(sides.map(([name]) => [name, []]));
  for (const [, { side, tenants }] of sides) await sendWarmUp(side, receiver, workload, tenants);
  for (let turn = 0; turn < turns; turn++)
    for (const [name, { side, tenants }] of turn % 2 === 0 ? sides : sides.toReversed())
      parts[name].push(await cpuOfRequests(side, receiver, { ...workload, amount }, tenants));
  const meanOf = (all) => all[0].map((_, n) => all.reduce((sum, one) => sum + one[n], 0) / all.length);
  return Object.fromEntries(Object.entries(parts).map(([name, all]) => [name, meanOf(all)]));
}

/** The µs of API, worker, runner and Redis per invocation of a workload on one side. */
export async function cpuOf(side, receiver, workload, tenants) {
  await sendWarmUp(side, receiver, workload, tenants);
  return cpuOfRequests(side, receiver, workload, tenants);
}

/** In the first thousands of requests of a process, the compiler of V8 takes up to half of the CPU time, on both sides. */
async function sendWarmUp(side, receiver, workload, tenants) {
  const { amount, inFlight = IN_FLIGHT, warmUp: before = Math.ceil(amount / 3) } = workload;
  await sendAll(side, receiver, { ...workload, amount: Math.max(inFlight, before) }, tenants);
  await side.settle();
}

async function cpuOfRequests(side, receiver, workload, tenants) {
  const before = side.cpu();
  await sendAll(side, receiver, workload, tenants);
  await side.settle();
  return side.cpu().map((ms, n) => ((ms - before[n]) * 1_000) / (workload.amount * workload.per));
}

/** Sends the requests of a workload. Resolves when its callbacks have come, too. */
async function sendAll(side, receiver, workload, tenants) {
  const { amount, isTold, inFlight = IN_FLIGHT } = workload;
  const told = receiver.count();
  const body = workload.body(receiver.url);
  await sendMany(side.url + side.pathOf(workload), { body, headers: headersFor(tenants, workload), amount, inFlight });
  const due = isTold ? told + amount : 0;
  while (receiver.count() < due) await delay(10);
}
