import { Heap } from './heap.mjs';
import { FairBetweenTenants, FirstComeFirstServed } from './waiting-jobs.mjs';

/**
 * Simulates one shard by discrete events: jobs arrive, Redis stores each one, a free slot takes the next one, and it ends. Redis does one thing
 * at a time. Times are in ms.
 * @param load `{random, perMs, tenantOf, durationMs, bursts}`: arrivals per ms, the tenant of an arrival, the duration of a job, and bursts
 *   `{at, tenant, count}` that arrive besides
 * @param capacity `{slots, storeMs, takeMs, isFair}`: slots of all workers, and what Redis needs to store a job, and to end one and take the
 *   next
 * @param period `{from, to}`: jobs that arrive in between are counted
 * @returns the counted waits as `[tenant, ms]`, from the arrival to the start; the part of the period in which Redis was busy; the jobs that
 *   had not started at the end
 */
export function simulateShard(load, capacity, period) {
  const events = new Heap();
  const waiting = capacity.isFair ? new FairBetweenTenants() : new FirstComeFirstServed();
  const waits = [];
  let free = capacity.slots;
  let redisFree = 0;
  let busyMs = 0;
  /** When Redis has done a command that is sent now. */
  const redis = (now, ms) => {
    redisFree = Math.max(redisFree, now) + ms;
    if (now >= period.from) busyMs += ms;
    return redisFree;
  };
  const startNext = (now) => {
    while (free > 0 && waiting.size > 0) {
      const job = waiting.take();
      free--;
      const started = redis(now, capacity.takeMs);
      if (job.at >= period.from && job.at < period.to) waits.push([job.tenant, started - job.at]);
      events.push(started + load.durationMs(), undefined);
    }
  };
  const arrive = (at, tenant) => events.push(redis(at, capacity.storeMs), { tenant, at });
  const gap = () => -Math.log(1 - load.random()) / load.perMs;
  const bursts = [...load.bursts];
  for (let arrival = gap(), now = 0; now < period.to;) {
    const next = Math.min(arrival, events.peek()?.[0] ?? Infinity);
    now = next;
    while (bursts[0]?.at <= now) {
      const { at, tenant, count } = bursts.shift();
      for (let n = 0; n < count; n++) arrive(at, tenant);
    }
    if (next === arrival) {
      arrive(now, load.tenantOf());
      arrival += gap();
      continue;
    }
    const [, stored] = events.pop();
    if (stored) waiting.add(stored);
    else free++;
    startNext(now);
  }
  return { waits, redisBusy: busyMs / (period.to - period.from), left: waiting.size };
}
