// The CPU time of each process per invocation, with many requests in flight, for Errand and for the bare route.
import { setTimeout as delay } from 'node:timers/promises';
import { fillTenants, headersFor, sendMany, startBare, startErrand, startReceiver } from './sides.mjs';

const IN_FLIGHT = 64;

/**
 * Measures workloads; each group has processes of its own. Both sides run in turn, so that other load affects both.
 * @param groups `{parts, workloads}`; `share` is the part of the requests that are sent
 * @returns for each workload: `ours` and `bare`, each the µs of API, worker, runner and Redis per invocation; `bare` is absent without
 *   an equivalent
 */
export async function measureCpu(groups, tenants, share) {
  const results = {};
  for (const group of groups) Object.assign(results, await cpuOfGroup(group, tenants, share));
  return results;
}

async function cpuOfGroup({ parts, workloads }, tenants, share) {
  const receiver = await startReceiver();
  const [ours, bare] = [await startErrand(parts), await startBare(parts)];
  try {
    await fillTenants(ours, tenants);
    const result = {};
    for (const whole of workloads) {
      const workload = shortened(whole, share);
      const measured = { ours: await cpuOf(ours, receiver, workload, tenants) };
      if (workload.barePath) measured.bare = await cpuOf(bare, receiver, workload, 1);
      result[workload.name] = measured;
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

/** The µs of API, worker, runner and Redis per invocation of a workload on one side. */
export async function cpuOf(side, receiver, workload, tenants) {
  const { amount, per, isTold, inFlight = IN_FLIGHT, warmUp = Math.ceil(amount / 3) } = workload;
  const send = async (count) => {
    const told = receiver.count();
    const body = workload.body(receiver.url);
    const headers = headersFor(tenants, workload);
    await sendMany(side.url + side.pathOf(workload), { body, headers, amount: count, inFlight });
    const due = isTold ? told + count : 0;
    while (receiver.count() < due) await delay(10);
  };
  // In the first thousands of requests of a process, the compiler of V8 takes up to half of the CPU time, on both sides.
  await send(Math.max(inFlight, warmUp));
  await side.settle();
  const before = side.cpu();
  await send(amount);
  await side.settle();
  return side.cpu().map((ms, n) => ((ms - before[n]) * 1_000) / (amount * per));
}
