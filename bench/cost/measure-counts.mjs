// Exact counts of each workload, one request at a time: commands of Redis, round trips and bytes per invocation.
import { setTimeout as delay } from 'node:timers/promises';
import { fillTenants, headersFor, startErrand, startReceiver } from './sides.mjs';
import { countRedis } from './redis-counts.mjs';
import { quantile } from '../measure.mjs';

const WARM_UP = 10;
const REQUESTS = 41;
/** The requests after which a measurement may end if its least counts are small enough. */
const FEWEST_REQUESTS = 7;
/** The lower quartile leaves out what the processes do periodically, and what only a slow request needs. */
const USUAL = 0.25;
/** The last writes of a request are counted, and the workers wait again, when Redis has had nothing to do for so long. */
const QUIET_MS = 20;

/**
 * Measures workloads, those that need worker and runner first. The others are measured without them, by the same API.
 * @param groups `{parts, workloads}`, the largest `parts` first
 * @param isSmallEnough whether the least counts of a workload, by its name, need no more requests: further ones cannot raise the least
 * @returns for each workload `usual` and `least`: commands, roundTrips, bytes. On a busy machine the usual counts vary, the least do not
 *   grow.
 */
export async function measureCounts(groups, tenants, isSmallEnough = () => false) {
  const [{ parts }] = groups;
  const side = await startErrand(parts, { isCounted: true, execArgv: [] });
  const receiver = await startReceiver();
  try {
    await fillTenants(side, tenants, true);
    const counts = {};
    for (const group of groups) {
      await side.keepOnly(group.parts);
      for (const workload of group.workloads)
        counts[workload.name] = await countsOf(side, receiver, workload, tenants, isSmallEnough);
    }
    return counts;
  } finally {
    receiver.stop();
    await side.stop();
  }
}

async function countsOf(side, receiver, workload, tenants, isSmallEnough) {
  const headers = headersFor(tenants, workload);
  const send = () => sendOne(side, receiver, workload, headers());
  for (let n = 0; n < WARM_UP; n++) await send();
  const counts = { commands: [], roundTrips: [], bytes: [] };
  const at = (share) =>
    Object.fromEntries(
      Object.entries(counts).map(([what, numbers]) => [
        what,
        Number((quantile(numbers, share) / workload.per).toPrecision(4)),
      ]),
    );
  const isEnough = (n) => n >= FEWEST_REQUESTS && isSmallEnough(workload.name, at(0));
  for (let n = 0; n < REQUESTS && !isEnough(n); n++) {
    const tripsBefore = side.trips();
    const { commands, bytes } = await countRedis(side.redis, send);
    counts.commands.push(commands);
    counts.roundTrips.push(side.trips() - tripsBefore);
    counts.bytes.push(bytes);
  }
  return { usual: at(USUAL), least: at(0) };
}

async function sendOne(side, receiver, workload, headers) {
  const body = JSON.stringify(workload.body(receiver.url));
  const told = receiver.count();
  const response = await fetch(side.url + workload.path, { method: 'POST', headers, body });
  const answer = await response.json();
  if (!response.ok || answer.status === 'failed')
    throw new Error(`${workload.name}: ${response.status} ${JSON.stringify(answer).slice(0, 500)}`);
  while (workload.isTold && receiver.count() === told) await delay(1);
  await waitUntilQuiet(side);
}

async function waitUntilQuiet(side) {
  for (let before = -1, now = side.messages(); now !== before;) {
    await delay(QUIET_MS);
    [before, now] = [now, side.messages()];
  }
}
