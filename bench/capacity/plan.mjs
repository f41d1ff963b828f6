// How many processes a load needs, from the recorded costs of an invocation. Pure functions: no clock, no Redis.

/** The number of processes of a kind whose work is split between them, while each also does work that does not get less. Infinity: too much. */
const countFor = (total, own, most) => (own >= most ? Infinity : Math.max(1, Math.ceil(total / (most - own))));

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/**
 * The processes of one cell: API, workers and script-runners that use all shards of the cell.
 * @param perSecond invocations a second
 * @param costs `{api, worker, runner, redis}` in µs of CPU per invocation, `bytes` to and from Redis, `memory.ended` `{bytes}`,
 *   `notifications` `{perInvocation, sendUs, receiveUs}`
 * @param assumed `{busy, meanMs, slots, kept, connections}`: the part of a core that a process may use, the mean duration of a job, the slots
 *   of a worker, the ended invocations that a shard keeps, and the connections of a process to each shard
 * @returns `{api, workers, runners, shards, memoryGb, megabits, connections}`: numbers of processes, and what each shard has; Infinity
 *   where no number is enough
 */
export function planCell(perSecond, costs, assumed) {
  const { perInvocation, sendUs, receiveUs } = costs.notifications;
  const most = assumed.busy * 1e6;
  // Each API and each worker receives every notification of its cell; a script-runner receives none.
  const received = perSecond * perInvocation * receiveUs;
  const inSlots = Math.ceil((perSecond * assumed.meanMs) / 1_000 / (assumed.slots * assumed.busy));
  const api = countFor(perSecond * costs.api, received, most);
  const workers = Math.max(countFor(perSecond * costs.worker, received, most), inSlots);
  const runners = costs.runner > 0 ? countFor(perSecond * costs.runner, 0, most) : 0;
  const processes = sum([api, workers, runners]);
  const perRedis = costs.redis + perInvocation * sendUs * (api + workers);
  const shards = processes === Infinity ? Infinity : Math.max(1, Math.ceil((perSecond * perRedis) / most));
  return {
    api,
    workers,
    runners,
    shards,
    memoryGb: (assumed.kept * costs.memory.ended.bytes) / 1e9,
    megabits: (perSecond * costs.bytes * 8) / 1e6 / shards,
    connections: processes * assumed.connections,
  };
}

/** The processes of all cells, each with up to `perCell` invocations a second. @returns `{cells, all, …planCell of one}` */
export function planFor(perSecond, costs, assumed) {
  const cells = Math.ceil(perSecond / assumed.perCell);
  const one = planCell(perSecond / cells, costs, assumed);
  const all = cells * sum([one.api, one.workers, one.runners, one.shards]);
  return { cells, all, ...one };
}

/** The highest rate, to about 1 %, at which `isPossible` holds. */
export function highestRate(isPossible) {
  let [low, high] = [1, 1e9];
  while (high / low > 1.01) {
    const middle = Math.sqrt(low * high);
    if (isPossible(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The bounds of the design, each with the rate at which it does: `[what, invocations a second, the way out]`, the first bound first. */
export function boundsOf(costs, assumed) {
  const most = assumed.busy * 1e6;
  const { perInvocation, receiveUs } = costs.notifications;
  const cell = (isPossible) => highestRate((rate) => isPossible(planCell(rate, costs, assumed)));
  const bounds = [
    ['one worker process', most / costs.worker, 'more workers'],
    ['one API process', most / costs.api, 'more API processes behind a load balancer'],
    ['one Redis', cell(({ shards }) => shards <= 1), 'shards'],
    [
      `notifications take half of each process, because each receives the ${perInvocation} of every invocation`,
      most / 2 / (perInvocation * receiveUs),
      'cells: groups of processes and shards that share nothing; a channel for each process would remove the bound',
    ],
    [
      `${assumed.maxClients.toLocaleString('en')} connections to each Redis of a cell`,
      cell(({ connections }) => connections <= assumed.maxClients),
      'cells',
    ],
    [
      `${assumed.maxNodes.toLocaleString('en')} primaries, in one Redis Cluster`,
      cell(({ shards }) => shards <= assumed.maxNodes),
      'cells, each with a Cluster',
    ],
  ];
  return bounds.toSorted(([, a], [, b]) => a - b);
}
