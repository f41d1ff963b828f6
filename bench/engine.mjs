// The engine: overhead per node against plain awaited functions and against BullMQ flow jobs, growth, memory. Prints Markdown tables.
//   npm run build && node bench/engine.mjs [rounds]
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { asTree, asWorkflow, NODE_TYPE, runPlain, SHAPES } from './dags.mjs';
import { startFlows } from './flow-jobs.mjs';
import { noteGoal } from './goals/note-goal.mjs';
import { quantile, startRedis, table } from './measure.mjs';

const built = createRequire(new URL('../dist/apps/worker/src/', import.meta.url));
const { runWorkflow } = built('../../../libs/engine/src/index.js');
const { connectQueues, EventWriter, JournalWriter, NotificationHub } = built('../../../libs/queue/src/index.js');
const { keys } = built('../../../libs/queue/src/redis/names.js');
const { RedisJournal } = built('./steps/redis-journal.js');
const { emitEngineEvent } = built('./steps/emit-engine-event.js');
const { InvocationProgress } = built('./steps/combine-steps.js');

const ROUNDS = Number(process.argv[2] ?? 7);
const SIZE = 1_000;
const SIZES = [250, 1_000, 4_000, 16_000];
const IN_FLIGHT = 1_000;
const LONG_ENOUGH_MS = 50;

const redis = await startRedis();
const queues = connectQueues(redis.url, { ageSeconds: 3_600, count: 1_000 });
const notifications = await NotificationHub.open(redis.url);
const flows = await startFlows();

let opened = 0;

/** The same journal as in a worker, for a job of this process. */
async function redisJournal() {
  const id = `inv_bench_${opened++}`;
  await queues.redis.hset(keys.job('invocations', id), 'ats', '2');
  const journal = new JournalWriter(queues, 'invocations', id, 2);
  // The second attempt, because a first attempt reads no journal.
  return new RedisJournal(
    queues,
    notifications,
    { work: { id, attempt: 2, record: {} }, index: 0, journal },
    '',
    false,
  );
}

const noJournal = async () => undefined;

/** Runs with the events of a worker: each start and end of a node goes to the event stream and to the state of the invocation. */
async function runWithEvents(workflow, journal) {
  const id = `inv_bench_${opened - 1}`;
  const events = new EventWriter(queues, id, (error) => {
    throw error;
  });
  const context = { events, index: 0, progress: new InvocationProgress(1, events), work: { id, attempt: 2 } };
  const emit = (event) => emitEngineEvent({ context, within: '', single: false }, event);
  const { value } = await runWorkflow(workflow, {}, { ...optionsOf(journal), emit });
  await events.flush();
  return value;
}

const mapOf = (...types) => new Map(types.map((type) => [type.type, type]));
const NODE_TYPES = mapOf(NODE_TYPE);
/** The same node without a declaration: it counts as having effects, so that earlier outcomes are stored before it begins. */
const { effects: _, ...ACTING_TYPE } = NODE_TYPE;
const ACTING_TYPES = mapOf(ACTING_TYPE);

/** How many times as fast as a flow of BullMQ jobs, added and run, a graph with a journal must be. */
const AIMS = { chain: 20, 'fan-out': 40, grid: 40 };

const optionsOf = (journal, nodeTypes = NODE_TYPES) => ({
  nodeTypes,
  workflows: new Map(),
  invocationId: 'inv_bench',
  callTool: () => Promise.reject(new Error('No node of this benchmark calls a tool')),
  ...(journal && { journal }),
});

const plain = async (dag) => ({ prepare: noJournal, run: () => runPlain(dag), expected: await runPlain(dag) });

const engine = async (dag, prepare, nodeTypes = NODE_TYPES) => {
  const workflow = asWorkflow(dag);
  const run = async (journal) => (await runWorkflow(workflow, {}, optionsOf(journal, nodeTypes))).value;
  return { prepare, run, expected: await runPlain(dag) };
};

const withEvents = async (dag) => {
  const workflow = asWorkflow(dag);
  return { prepare: redisJournal, run: (journal) => runWithEvents(workflow, journal), expected: await runPlain(dag) };
};

/** Runs all variants in turn, each time long enough to include its own garbage collection. Returns the times of each in ms. */
async function byTurns(rounds, ways) {
  const times = ways.map(() => []);
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [n, way] of ways.entries()) {
      let [runs, total] = [0, 0];
      for (; total < LONG_ENOUGH_MS; runs++) total += await timed(way);
      if (round > 0) times[n].push(total / runs);
    }
  }
  return times;
}

/** The time in ms. Throws if the result is wrong. */
async function timed({ prepare, run, expected }) {
  const prepared = await prepare();
  const start = performance.now();
  const value = await run(prepared);
  const time = performance.now() - start;
  if (value !== expected) throw new Error(`the result of a graph is ${value} instead of ${expected}`);
  return time;
}

/** The number of writes of a run to Redis; each is at most one round trip. */
async function journalRoundTrips(dag, nodeTypes) {
  const { prepare, run } = await engine(dag, redisJournal, nodeTypes);
  const journal = await prepare();
  let sent = 0;
  const { sendCommand } = queues.redis;
  queues.redis.sendCommand = function count(command, ...rest) {
    if (command.name.startsWith('eval')) sent++;
    return sendCommand.call(this, command, ...rest);
  };
  await run(journal);
  queues.redis.sendCommand = sendCommand;
  return sent;
}

async function compareShape([name, shape]) {
  const dag = shape(SIZE);
  const tree = asTree(dag);
  const expected = await runPlain(tree);
  const lists = await byTurns(ROUNDS, [
    await plain(dag),
    await engine(dag, noJournal),
    await engine(dag, redisJournal),
    await engine(dag, redisJournal, ACTING_TYPES),
    await withEvents(dag),
    { ...flows.added(tree), expected },
    { ...flows.whole(tree), expected },
  ]);
  const [journaledRuns, wholeRuns] = [lists[2], lists[6]];
  noteGoal(
    `engine-${name}`,
    wholeRuns.map((whole, round) => whole / journaledRuns[round]),
  );
  const [least, bare, journaled, acting, told, added, whole] = lists.map(
    (list) => (quantile(list) * 1_000) / dag.from.length,
  );
  const roundTrips = `${await journalRoundTrips(dag)} or ${await journalRoundTrips(dag, ACTING_TYPES)} in ${dag.layers} layers`;
  const asRatio = (ratio) => `${ratio.toFixed(1)}×`;
  return {
    times: [name, ...[least, bare, journaled, acting, told, added, whole].map((us) => us.toFixed(1)), roundTrips],
    ratios: [name, ...[bare / least, journaled / bare, acting / journaled, told / journaled].map(asRatio)],
    toFlows: [
      name,
      ...[bare, acting, told, journaled].flatMap((each) => [added / each, whole / each]).map(asRatio),
      `≥ ${AIMS[name]}×`,
    ],
  };
}

async function compareSizes([name, shape], [how, openJournal]) {
  const dags = SIZES.map((size) => shape(size));
  const ways = await Promise.all(dags.map((dag) => engine(dag, openJournal)));
  const times = await byTurns(Math.min(ROUNDS, 5), ways);
  const perNode = times.map((list, n) => quantile(list) / dags[n].from.length);
  return [`${name}, ${how}`, ...perNode.map((each) => (each / perNode[1]).toFixed(2))];
}

/** The heap that a workflow of ten nodes uses while its fifth node runs, with the journal in Redis, in KB. */
async function memoryInFlight() {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  const gate = withResolvers();
  const allWait = withResolvers();
  let waiting = 0;
  const wait = () => (++waiting === IN_FLIGHT && allWait.resolve(), gate.promise);
  const types = mapOf(NODE_TYPE, { ...NODE_TYPE, type: 'bench:wait', run: wait });
  const workflow = asWorkflow(SHAPES.chain(10));
  workflow.nodes[4].type = 'bench:wait';
  // Journals and shared objects exist before the measurement.
  const journals = [];
  for (let n = 0; n < IN_FLIGHT; n++) journals.push(await redisJournal());
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const running = [];
  for (const journal of journals) running.push(runWorkflow(workflow, {}, optionsOf(journal, types)));
  await allWait.promise;
  collectGarbage();
  const kilobytes = (process.memoryUsage().heapUsed - before) / 1_024 / IN_FLIGHT;
  gate.resolve({ value: 1 });
  await Promise.all(running);
  return kilobytes;
}

function withResolvers() {
  let resolve;
  const promise = new Promise((settle) => (resolve = settle));
  return { promise, resolve };
}

const JOURNALS = [
  ['no journal', noJournal],
  ['journal', redisJournal],
];

try {
  // This measurement is first, because garbage of the others would be collected during it.
  const kilobytes = await memoryInFlight();
  const shapes = [];
  for (const shape of Object.entries(SHAPES)) shapes.push(await compareShape(shape));
  const sizes = [];
  for (const shape of Object.entries(SHAPES)) for (const how of JOURNALS) sizes.push(await compareSizes(shape, how));
  const engines = ['engine', 'engine, journal', 'engine, journal, with effects', 'engine, journal, events'];
  const flowWays = ['flow jobs, run', 'flow jobs, added and run'];
  const ratios = ['engine to plain functions', 'journal to none', 'with effects to none', 'events to none'];
  const toFlows = ['engine', 'with effects', 'events', 'journal'].flatMap((how) =>
    flowWays.map((flow) => `${flow}, to ${how}`),
  );
  console.log(`${SIZE} nodes that add up their inputs, in µs per node; medians of ${ROUNDS} rounds, all variants in turn. The journal is the worker's, in Redis.
One BullMQ worker in the same process runs the flow jobs, 50 at a time. Both Redis write their append-only file to disk every second.
Nodes have no effects, except in one column: before a node with effects begins, the outcomes of earlier nodes are stored.
Only one column has the events of a worker: the start and the end of each node in the event stream and in the state of the invocation. BullMQ
writes the events of its jobs to a stream.
Plain functions and the engine without a journal store nothing. A BullMQ job has at most one parent, so the flow keeps only the first outgoing edge of each node and does less work.

${table(
  ['graph', 'plain functions', ...engines, ...flowWays, 'round trips of the journal, without or with effects'],
  shapes.map(({ times }) => times),
)}

How many times slower. "a to b" is the time of a divided by the time of b:

${table(
  ['graph', ...ratios],
  shapes.map((shape) => shape.ratios),
)}

How many times as fast as flow jobs. The aim is for the journal and nodes without effects, against flow jobs that are added and run:

${table(
  ['graph', ...toFlows, 'aim of the last'],
  shapes.map((shape) => shape.toFlows),
)}

Time per node, relative to the time with 1,000 nodes (1.00 is linear growth):

${table(['graph', ...SIZES.map((size) => `${size} nodes`)], sizes)}

${IN_FLIGHT} workflows of ten nodes in flight, each in the middle of a node, use ${kilobytes.toFixed(0)} KB of heap each.`);
} finally {
  notifications.close();
  await Promise.all([flows.close(), queues.close()]);
  await redis.stop();
}
