import type { DELIVERIES, WorkQueue } from './queue-names.js';

/**
 * The prefix of every key, unless there are several shards (`libs/queue/src/shards`). As a hash tag, it puts all keys into one slot of a
 * Redis Cluster. Scripts that use several keys need this.
 */
export const PREFIX = '{errand}';

type BullSet = 'wait' | 'prioritized' | 'delayed' | 'waiting-children' | 'active' | 'stalled' | 'marker' | 'events';

/** The names of all keys under a prefix. */
const keysUnder = (prefix: string) => ({
  /** Keys of BullMQ: a job, its lock, and the sets and lists of a queue. */
  job: (queue: WorkQueue | typeof DELIVERIES, id: string) => `${prefix}:${queue}:${id}`,
  lock: (queue: WorkQueue | typeof DELIVERIES, id: string) => `${prefix}:${queue}:${id}:lock`,
  set: (queue: WorkQueue | typeof DELIVERIES, set: BullSet) => `${prefix}:${queue}:${set}`,
  /** BullMQ's set of ended jobs, by the time of the end (ms). */
  ended: (queue: WorkQueue | typeof DELIVERIES, outcome: 'completed' | 'failed') => `${prefix}:${queue}:${outcome}`,
  /** A set of the search index of a tenant. */
  index: (tenant: string, name: string) => `${prefix}:index:${tenant}:${name}`,
  definition: (digest: string) => `${prefix}:definition:${digest}`,
  journal: (id: string) => `${prefix}:journal:${id}`,
  state: (id: string) => `${prefix}:state:${id}`,
  answers: (id: string) => `${prefix}:answers:${id}`,
  /** The scripts that run for its steps: job id → queue. */
  children: (id: string) => `${prefix}:children:${id}`,
  events: (id: string) => `${prefix}:events:${id}`,
  /** The text that the submission came as. */
  source: (id: string) => `${prefix}:source:${id}`,
  /** The log lines that have left the event stream. */
  log: (id: string) => `${prefix}:log:${id}`,
  /** Large results of its steps, in pieces. */
  results: (id: string) => `${prefix}:results:${id}`,
  /** The description of each output file, and the files themselves. */
  artifacts: (id: string) => `${prefix}:artifacts:${id}`,
  artifactBytes: (id: string) => `${prefix}:artifact-bytes:${id}`,
  /** A file of a submission. */
  attachment: (tenant: string, sha256: string) => `${prefix}:attachment:${tenant}:${sha256}`,
  /** Deferred deliveries of a receiver (host and port). */
  deferred: (receiver: string) => `${prefix}:aside:${receiver}`,
  /** The deliveries of a tenant, or those that have failed for good, as an index set. */
  deliveryIndex: (tenant: string, part: 'deliveries' | 'deliveries-failed') => `${prefix}:index:${tenant}:${part}`,
  /** The number of requested redeliveries of an invocation. */
  redeliveries: (id: string) => `${prefix}:redeliveries:${id}`,
  /** The ids of suspended invocations that wait for the end of this one. */
  waiters: (id: string) => `${prefix}:waiters:${id}`,
  /** The ids of invocations in other shards whose wait for one of this shard has ended. */
  farWaiters: `${prefix}:far-waiters`,
  /** The step that has claimed an effect, which happens once in a session. */
  effect: (tenant: string, digest: string) => `${prefix}:effect:${tenant}:${digest}`,
  /** The entry of an effect in the ledger. */
  effectEntry: (tenant: string, digest: string) => `${prefix}:effect-entry:${tenant}:${digest}`,
  /** The effects of a tenant by time: all of them, or those of a session or tool. */
  effects: (tenant: string, part: string) => `${prefix}:effects:${tenant}:${part}`,
  /** A dry run of a bulk action, by the digest of its token. */
  bulkToken: (tenant: string, digest: string) => `${prefix}:bulk-token:${tenant}:${digest}`,
  /** A bulk action, and its failures. `name` is `<tenant>:<id>`. */
  bulk: (name: string) => `${prefix}:bulk:${name}`,
  bulkFailed: (name: string) => `${prefix}:bulk-failed:${name}`,
  /** The bulk actions of a tenant by time, and those that have not ended. */
  bulks: (tenant: string) => `${prefix}:bulks:${tenant}`,
  bulksOpen: (tenant: string) => `${prefix}:bulks-open:${tenant}`,
  /** The bulk actions that have not ended. The score is the time (ms) at which a process may take one. */
  bulkQueue: `${prefix}:bulk-queue`,
  /** The last request for an attack run of the sandboxes. */
  sandboxCheck: `${prefix}:sandbox-check`,
  /** The last attack run of a script-runner, and the runners that have one. */
  sandboxReport: (runner: string) => `${prefix}:sandbox-report:${runner}`,
  sandboxReports: `${prefix}:sandbox-reports`,
  /** The invocations of a batch, and the numbers of its other items. */
  batch: (id: string) => `${prefix}:batch:${id}`,
  /** A run of AG-UI: its turn, and the number of the event behind which it begins. */
  aguiRun: (tenant: string, digest: string) => `${prefix}:agui-run:${tenant}:${digest}`,
  /** The run that took a message or an answer of the client. */
  aguiTaken: (tenant: string, digest: string) => `${prefix}:agui-taken:${tenant}:${digest}`,
  /** The waits of a turn that runs of AG-UI have answered, by the number of the last event before each answer. */
  aguiTurn: (id: string) => `${prefix}:agui-turn:${id}`,
  /** A session: its text, times, world state, and for each agent the number of its turns and its private state. */
  session: (tenant: string, digest: string) => `${prefix}:session:${tenant}:${digest}`,
  /** The messages of a session and an agent: a list, and a sorted set of their ids. Lua scripts append the agent. */
  messages: (tenant: string, digest: string, agent = '') => `${prefix}:messages:${tenant}:${digest}:${agent}`,
  messageIds: (tenant: string, digest: string, agent = '') => `${prefix}:message-ids:${tenant}:${digest}:${agent}`,
  /** The turns of a session and an agent, in the order in which they run. */
  turns: (tenant: string, digest: string, agent = '') => `${prefix}:turns:${tenant}:${digest}:${agent}`,
  idempotency: (tenant: string, digest: string) => `${prefix}:idempotency:${tenant}:${digest}`,
  /** The invocations of a queue that were submitted with a delay. The score is the time (ms) at which each is due. */
  submittedLater: (queue: WorkQueue) => `${prefix}:later:${queue}`,
  /** The durations of the last runs in ms, by job name or by queue name. */
  runs: (name: string) => `${prefix}:runs:${name}`,
  /** The consumers of a queue, each with its number of slots. The score is the time (ms) until which each counts as alive. */
  consumers: (queue: WorkQueue | typeof DELIVERIES) => `${prefix}:consumers:${queue}`,
  /** The time since which Redis has answered the consumers of a queue without a gap (ms, by the clock of Redis). */
  pulse: (queue: WorkQueue | typeof DELIVERIES) => `${prefix}:pulse:${queue}`,
  /** The name of the last call by which a consumer took jobs. */
  lastTake: (consumer: string) => `${prefix}:last-take:${consumer}`,
  /** Errand's keys of the waiting jobs of a queue, for `libs/queue/src/fair`. Lua scripts append the rest. */
  fair: (queue: WorkQueue | typeof DELIVERIES, part = '') => `${prefix}:${queue}:fair:${part}`,
  /** The weights of the tenants whose weight is not 1. */
  tenantWeights: `${prefix}:tenant-weights`,
  /** Every label that was ever offered or requested. */
  labels: `${prefix}:labels`,
  /** The refusals of a tenant in batches, oldest first: a sorted set of their heads, a hash of the refusals, and their number and bytes. */
  refusals: (tenant: string) => `${prefix}:refusal-batches:${tenant}`,
  refusalTexts: (tenant: string) => `${prefix}:refusal-lines:${tenant}`,
  refusalTotals: (tenant: string) => `${prefix}:refusal-totals:${tenant}`,
  /** The invocation that recovered from each refusal. */
  refusalRecoveries: (tenant: string) => `${prefix}:refusal-recoveries:${tenant}`,
  /** The time (ms) of the refusals before which all recoveries are known. */
  refusalsSettled: (tenant: string) => `${prefix}:refusals-settled:${tenant}`,
  /** The number of the last change of any invocation. */
  changeClock: `${prefix}:change-clock`,
  /** What was accepted, refused or has ended, and is in no bucket of statistics yet. */
  statsLog: `${prefix}:stats-log`,
  /** The number of the last command by which a process added refusals to the log. */
  statsWriter: (writer: string) => `${prefix}:stats-writer:${writer}`,
  /** A bucket of the statistics of a tenant: its length and its begin in seconds. */
  statsBucket: (tenant: string, seconds: number, begin: number) => `${prefix}:stats:${tenant}:${seconds}:${begin}`,
  /** Entries of the statistics of a tenant that are not in its buckets yet, and the begin of their day in seconds. */
  statsText: (tenant: string, begin: number) => `${prefix}:stats-text:${tenant}:${begin}`,
  /** Exists while a process removes expired invocations. */
  sweep: `${prefix}:sweep`,
  /** Exists for a minute after a process has corrected the rings of waiting jobs. */
  repair: `${prefix}:repair`,
  /** Where the next sweep goes on in each set of ended jobs (hash). */
  sweepPlaces: `${prefix}:sweep:places`,
  /** Digests of definitions whose scripts have dependencies. */
  wantedEnvironments: `${prefix}:wanted-environments`,
  /** What is known about the tools of a server of `mcp.json`. */
  remoteList: (digest: string) => `${prefix}:remote-list:${digest}`,
  /** The worker that lists the tools of a server. It expires when that worker is gone. */
  remoteLister: (digest: string) => `${prefix}:remote-lister:${digest}`,
  /** Written by readiness checks, to find out whether Redis takes writes. */
  writeProbe: `${prefix}:write-probe`,
  /** The number of rounds in which the API has waited for replicas. */
  replicaRounds: `${prefix}:replica-rounds`,
  /** The numbers of shards that the installation has had, in the keyspace `{errand}`. */
  shardLayout: `${prefix}:shards`,
  /** Never stored. Scripts on a Cluster name it, see `whole-scripts.ts`. */
  neverStored: `${prefix}:never-stored`,
  /** A random name of this Redis, the same for all processes. */
  installation: `${prefix}:installation`,
  /** Events of the feed of a tenant that follow from no change of an invocation. */
  feed: (tenant: string) => `${prefix}:feed:${tenant}`,
  /** A login session of a browser, by the digest of its token. */
  login: (digest: string) => `${prefix}:login:${digest}`,
  /** The number of failed logins of a client in the present minute. */
  failedLogins: (client: string) => `${prefix}:failed-logins:${client}`,
  /** The random key that seals the states of clients. */
  sealingKey: `${prefix}:sealing-key`,
  /** What a process says of itself, and when it was seen last. */
  process: (id: string) => `${prefix}:process:${id}`,
  /** The processes by the time of their last heartbeat (ms, by the clock of Redis). */
  processes: `${prefix}:processes`,
  /** The jobs of a dead process that were put back. Lua scripts append the process. */
  processLeft: (id: string) => `${prefix}:process-left:${id}`,
  runner: (runnerId: string) => `${prefix}:runner:${runnerId}`,
  /**
   * The channel of notifications about invocations. A message is the id of a changed job, `ENDED` and the id of an ended job,
   * `answersOf(id)` after an answer, or `farWaiters` after a note in that set.
   */
  notifications: `${prefix}:news`,
  /** The channel of all other notifications. They are rare. Their names are in `notification-names.ts`. */
  controlNotifications: `${prefix}:control`,
  /** The channel of cancel requests. A message is the id of a job. */
  cancelRequests: `${prefix}:cancels`,
});

/** The names of all keys of one keyspace. */
export type Keys = ReturnType<typeof keysUnder>;

const KEYSPACES = new Map<string, Keys>();

/** The names of the keys under this prefix. */
export function keysIn(prefix: string): Keys {
  const known = KEYSPACES.get(prefix) ?? keysUnder(prefix);
  KEYSPACES.set(prefix, known);
  return known;
}

/** The names of the keys of the keyspace that this connection is for. */
export function keysOf(redis: object): Keys {
  return keysIn(prefixOf(redis));
}

/** The prefix of the keyspace that this connection is for. Only connections to shards have another one than `{errand}`. */
export function prefixOf(redis: object): string {
  // BullMQ passes its own wrapper of the connection, which is no instance of the class but has its fields.
  const prefix: unknown = Reflect.get(redis, 'keyspace');
  return typeof prefix === 'string' ? prefix : PREFIX;
}

/** The names of the keys of the keyspace `{errand}`, for tests. Other code uses `keysOf`. */
export const keys = keysIn(PREFIX);

/** The keys with the data of an invocation beside its job. They expire with it. */
export function dataKeysOf(names: Keys, id: string): string[] {
  return [
    names.journal(id),
    names.state(id),
    names.answers(id),
    names.children(id),
    names.events(id),
    names.source(id),
    names.log(id),
    names.results(id),
    names.artifacts(id),
    names.artifactBytes(id),
  ];
}

/** The number of fields of a batch besides its invocations: `tenant`, `others`, and five counts. */
export const BATCH_FIELDS = 7;
