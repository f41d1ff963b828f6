/**
 * The goals of speed: what each line compares, and its aim. `most` and `least` bound the median of its runs, or nine of ten runs with `nineOfTen`. A
 * goal that is not met shows `reason`: why, and what was tried.
 */
const API = `Errand validates the call against its schema, claims keys, indexes and measures each request; the bare route does none of this. In the first
  thousands of requests of a process, V8's optimizing compiler takes up to half of the CPU of the API. Done: three routes without the pipeline of Nest
  (ADR 117), one shape for the objects of hot paths and the response of an awaited end written from its notification (ADR 132), common submissions
  before Fastify, no pretenuring by V8, lists of one kind (ADR 153), what several jobs have in common sent once to the script that enqueues. Tried: settings of V8's
  compiler, which move the cost.`;
const API_TIME = `The aim is a time, which depends on the processor and on its other users. In that run, the API of the bare route needed 260 µs; it needed
  253 µs on the machine of the aim. In an earlier run on the same kind of machine, the API of Errand needed 163 µs, that of the bare route 183 µs. ${API}`;
const BATCH = `Each item of a batch is validated, indexed and answered with its whole invocation; \`addBulk\` gets prepared jobs and answers nothing over HTTP. Both sides
  use all of two cores, so that runs differ by a third: the median of five runs was 0.91 and 0.99 earlier on the same day. Done: plain
  jobs are added without BullMQ's script (ADR 130), items share one script run, no copies of records, no pretenuring by V8 (ADR 153), one
  command for each item instead of three, one promise for all items, one entry in the log of statistics for all that have the same time and tool, numbers written as digits. The six
  sorted sets of the index are the largest part of the work of Redis. The lower
  priority of V8's threads (ADR 163) makes no difference. Not tried: a batch as one member of each set.`;
const CANCEL = `The median is within the aim on most runs; a cancel takes about 10 ms, so that other work on the machine decides.`;
const MET = 'The goal was met when it was measured last.';
const START = `An invocation executes 58 commands of Redis in 4 round trips when it is alone, and fewer with 64 in flight, because scripts end and take several. A fifth of the CPU of
  the worker is the system call that writes to its socket. Removed so far: Fastify on the way of common submissions, V8's pretenuring (ADR 153), the compression of responses below 2 KiB, BullMQ's scripts for adding, taking
  and ending common jobs, its events, the script and the read at each start, the read after an awaited end, the journal, the graph and the events
  of a single call, the turns of the lanes of a tenant that is alone, \`AsyncLocalStorage\`. Notifications of
  invocations go to a channel that script-runners do not receive (ADR 166).`;
const ALONE = `${START} One request at a time finds each process asleep, so that both sides need several times the CPU time of a request among 64. The ratio then
  changes with the other work of the machine: it was 1.11 (1.01 to 1.48) in a run of the same day.`;
const INDEX = `The search index of a tenant has each invocation in two sorted sets: by status, and by time of change (134 B). The second one serves
  \`updatedAfter\`. Done: plain jobs without the fields \`delay\` and \`priority\` (130 B), and without their options (115 B, ADR 154). Rejected: an invocation that
  joins the second set at its first change. A stream that keeps the order of acceptance for readers would leave a gain of 82 B, and needs trims and a merge in each reader.`;
const QUEUE_AND_HTTP = `\`bun -e 0\` takes 6 to 8 ms of processor time, \`python3 -c pass\` 14 ms. The way over HTTP and Redis takes about 4 ms: one call adds the job, the
  marker wakes the script-runner, one call takes the job, one ends it, and the notification has the result. No timer and no worker is on the way. The client needs 1 to 2 ms of
  processor time, the API 1.6, the script-runner 1.6, Redis 1, the container 3 to 4. \`bench/sandbox-trace.mjs\` shows each part. Done: a script reports its own end
  (ADR 136, ADR 151), the rehearsal serves a whole request, the removal of the container waits for the result, the end mark of the log goes beside the response. Rejected: a
  blocking connection that sends the call that takes the job together with the wait for the marker. It would save a round trip, but a process that hangs would
  be given a job, which then waits until its lock has ended. Not tried: a socket between the script-runner and the supervisor, which would save the two processes of the engine on the way.`;
const NEW_PROCESS = `Each run gets a new process of the interpreter, so that it finds nothing of an earlier run. Done: in a quick sequence of runs, a Bun process starts with its order
  (ADR 172). Tried: settings of JavaScriptCore (no concurrent collector, no concurrent compiler), of its allocator, no environment and configuration files, \`--smol\`, cached bytecode: none
  changes the processor time of a start by more than 5 %. A program of \`bun build --compile\` needs 5 to 10 % less, but a script would see another interpreter. Rejected: a
  process that starts during the run before it, because it would take memory from that run and be visible to it.`;
const GROUPS = `Jobs of one shard are taken and ended in groups. With 64 in flight, a group of one of 8 shards is smaller than that of one shard, and each
  script has a part that does not depend on the size of its group. Done: turns of 40 ms for each shard, and claims of half of the free slots (ADR 135), which leave
  3 to 5 % more commands of Redis, where there were 25 %; a notification in place of four looks a second for waiters of other shards, and a sweep of ended jobs every three seconds. The rest is 82 connections in place of 10, which
  are read and written one by one, what each process asks each shard while it has no work, and noise of the clock.`;
const NO_CPU = `The promise holds for jobs of 20 ms and more, while the processes are not out of CPU. The order of starts is right: its job starts at the next free slot (\`light-tenant.int-spec.ts\`). Beside no-op jobs, the processes are
  out of CPU. The submission waits for the script that runs in Redis, the job for the next call and for the script of its group, and each process for one of two cores. Done: a consumer of several tenants
  takes twelve jobs at a time and starts those of light tenants first (ADR 134), the turns of a group are done in memory, one message has all notifications of a
  group, the ends of light jobs do not share Redis with the next call (ADR 155), and a slot stays free for the next request (ADR 157).
  Jobs of lanes start without BullMQ's list between, and scripts make the functions of rare cases only when they call them (ADR 162). Beside a light tenant, a consumer takes four jobs at a
  time, and the threads of V8 leave the cores to others (ADR 163). The code that met the goal (1.49)
  was measured again on that Intel Xeon, in turns with the code of that time: 1.61 to 1.92, and 1.52 to 1.77.`;
const FREE_SLOT = `The order of starts is right: its job starts at the next free slot (\`light-tenant.int-spec.ts\`). Jobs that started together
  also end together, so that it can wait for most of one of their runs. A run of the benchmark has 10 to 60 samples: of 20, p95 is one of the two longest waits, so it changes much from run to run. Done: a
  slot stays free for the next request (ADR 157), and waiting jobs start one after the other (ADR 173).`;

const LANES = `Redis needs 5 to 19 % more for a job in a lane, a sorted set, than for one in BullMQ's list. The rest is noise: the machine of the last run changed its
  speed from run to run, so that the ranges of both sides overlap, also for the API, which does nothing for lanes. The medians of five runs were 0.92 to 1.16 for both rows. Done: jobs of
  lanes start without BullMQ's list between, and up to a hundred jobs of a tenant that is alone wait in that list (ADR 171).`;

const KEEPING = `Both sides differ by up to a third from round to round, because Redis and the API share two cores. Done: small refusals are described fifty at a
  time, and fifty are one member of a sorted set and one field of a hash (ADR 161). In a profile, the rest is the system call that writes to Redis.`;

export const GOALS = [
  { id: 'cost', what: 'CPU per invocation end to end: bare / Errand', least: 1.2, reason: START },
  { id: 'cost-API', what: '… of the API, in µs', most: 250, reason: API_TIME },
  { id: 'cost-worker', what: '… of the worker, in µs', most: 150, reason: START },
  { id: 'cost-Redis', what: '… of Redis, in µs', most: 180, reason: START },
  { id: 'accept', what: 'accepted over HTTP, 64 in flight / bare', least: 0.9, reason: API },
  { id: 'refusals', what: '… one of five refused: refusals kept / not kept', least: 0.97, reason: KEEPING },
  { id: 'through', what: 'no-op node end to end, 64 in flight / bare', least: 1.2, reason: START },
  { id: 'alone', what: 'one at a time, p50 / bare', most: 1.2, reason: ALONE },
  { id: 'bulk', what: 'batches of 100 / `addBulk` without HTTP', least: 0.9, nineOfTen: true, reason: BATCH },
  { id: 'memory', what: 'Redis memory of a waiting invocation / raw job', most: 1.2, reason: INDEX },
  { id: 'engine-chain', what: 'flow jobs / a chain of 1,000 nodes with the journal', least: 20, reason: MET },
  { id: 'engine-fan-out', what: 'flow jobs / a fan-out of 1,000 nodes with the journal', least: 40, reason: MET },
  { id: 'engine-grid', what: 'flow jobs / a grid of 1,000 nodes with the journal', least: 40, reason: MET },
  { id: 'action', what: "fast-xml-parser's tree / ACTION with types and validation", least: 1.2, reason: MET },
  { id: 'tam', what: "fast-xml-parser's tree / TAM with types and validation", least: 1, reason: MET },
  {
    id: 'warm-python',
    what: 'warm Python run, HTTP request to result / `python3 -c pass`',
    most: 0.6,
    reason: QUEUE_AND_HTTP,
  },
  { id: 'warm-bun', what: 'warm Bun run, HTTP request to result / `bun -e 0`', most: 1, reason: QUEUE_AND_HTTP },
  { id: 'runner-bun', what: '… script-runner alone / `bun -e 0`', most: 0.5, reason: NEW_PROCESS },
  { id: 'reuse-python', what: 'Python, per-tool reuse / container per run', least: 25, reason: NEW_PROCESS },
  { id: 'reuse-bun', what: 'Bun, per-tool reuse / container per run', least: 25, reason: NEW_PROCESS },
  { id: 'shards', what: 'Redis CPU per invocation, 8 shards / one shard', most: 1.05, reason: GROUPS },
  { id: 'cancel', what: 'cancel among 1,000,000 waiting / among 1,000', most: 2, reason: CANCEL },
  ...[
    ['noop', 'a flood of no-op jobs', NO_CPU],
    ['long', 'a flood of 200 ms jobs on 100 slots'],
    ['short', 'a flood of 20 ms jobs on 10 slots'],
    ['few', '500 jobs of 200 ms on 4 slots'],
    ['mixed', 'two floods with priorities, callbacks, retries and waits'],
    ['pauses', 'a flood of 100 ms jobs on 20 slots, with 20 ms jobs at random moments'],
  ].flatMap(([id, flood, reason = FREE_SLOT]) => [
    {
      id: `fair-${id}-p50`,
      what: `wait of a light tenant beside ${flood} / alone, p50`,
      most: 1.5,
      reason,
    },
    { id: `fair-${id}-p95`, what: '… p95', most: 2, reason },
  ]),
  { id: 'fair-alone-backlog', what: 'CPU per job of a backlog, one tenant: lanes / none', most: 1.05, reason: LANES },
  { id: 'fair-alone-flight', what: '… of 64 jobs in flight', most: 1.05, reason: LANES },
];

/**
 * Results of another kind of machine with the same code, or with the code that is named, by the id of a goal that was missed there. The page shows such a result and its reason,
 * even if the last run met the goal. Remove an entry when a run on that kind of machine meets the goal.
 */
export const ELSEWHERE = {
  'cost-API': '260, 220 to 280 on two cores of an Intel Xeon of 2.5 GHz',
  'fair-noop-p50': '1.83, 1.54 to 2.23 on two cores of an Intel Xeon, before ADR 171',
};
