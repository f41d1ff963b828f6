// The recorded costs of one workload, as the capacity plan and the simulation use them.
import { readRecorded } from '../cost/recorded-costs.mjs';

const HOW = 'run `npm run build && node bench/cost.mjs --record`';

/**
 * @param workload a name of bench/cost/workloads.mjs
 * @param recorded the content of bench/cost/recorded.json
 * @returns `{name, api, worker, runner, redis}` in µs of CPU per invocation, `commands, roundTrips, bytes, memory, notifications`, and
 *   `storeUs`: what Redis needs of it to store the invocation
 * @throws Error if the workload is unknown, or its cost is not recorded
 */
export function costsOf(workload, tenants, recorded = readRecorded()) {
  const nameOf = (of) => `${of}, ${tenants.toLocaleString('en')} ${tenants === 1 ? 'tenant' : 'tenants'}`;
  const name = nameOf(workload);
  const { cpu = {}, counts, memory, notifications } = recorded;
  const known = Object.keys(counts);
  if (!known.includes(name))
    throw new Error(`'${name}' is not a workload; bench/cost/recorded.json has: ${known.join('; ')}`);
  const [own, accepting] = [cpu[name], cpu[nameOf('accepting')]];
  if (!own || !accepting || !memory || !notifications)
    throw new Error(`bench/cost/recorded.json has no CPU time of '${name}', memory or notifications: ${HOW}`);
  const { API: api, worker, Redis: redis } = own;
  // A script-runner without scripts does the same work however many invocations there are: it sends heartbeats.
  const runner = workload === 'single script' ? own.runner : 0;
  return {
    name,
    api,
    worker,
    runner,
    redis,
    storeUs: Math.min(accepting.Redis, redis),
    ...counts[name],
    memory,
    notifications,
  };
}
