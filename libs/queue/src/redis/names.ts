import { DEFAULT_LABEL } from '@errand/contracts';

/**
 * Every key of Errand begins with this; as a hash tag it puts them all into one slot of a Redis Cluster, which BullMQ's
 * scripts and our pipelines need.
 */
export const PREFIX = '{errand}';

/** `invocations`: the worker's. `scripts`: the script-runner's; calls of one script tool go there straight, in one hop. */
export const QUEUE_NAMES = ['invocations', 'scripts'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/**
 * Of scripts that run only where a label is offered, a queue for each label. They are steps of invocations, and no invocations: who
 * looks for one of these looks in the two queues above. Who makes such a job opens its queue; nobody keeps a list of labels.
 */
export type LabelQueue = `scripts.${string}`;
/** Any queue that jobs are taken from and run. */
export type WorkQueue = QueueName | LabelQueue;

/** Where the scripts of tools wait that ask for this label. */
export function scriptQueue(label = DEFAULT_LABEL): 'scripts' | LabelQueue {
  return label === DEFAULT_LABEL ? 'scripts' : `scripts.${label}`;
}

/** The label that a queue is for; undefined for the queues that invocations are in. */
export function labelOf(queue: WorkQueue): string | undefined {
  return queue.startsWith('scripts.') ? queue.slice('scripts.'.length) : undefined;
}

/** The queue of callbacks that are owed, or will be once an invocation has ended. */
export const DELIVERIES = 'deliveries';

type BullSet = 'wait' | 'prioritized' | 'delayed' | 'waiting-children' | 'active' | 'stalled' | 'marker' | 'events';

export const keys = {
  /** BullMQ's own: a job, its lock, and what it keeps for a whole queue. */
  job: (queue: WorkQueue | typeof DELIVERIES, id: string) => `${PREFIX}:${queue}:${id}`,
  lock: (queue: WorkQueue | typeof DELIVERIES, id: string) => `${PREFIX}:${queue}:${id}:lock`,
  set: (queue: WorkQueue | typeof DELIVERIES, set: BullSet) => `${PREFIX}:${queue}:${set}`,
  definition: (digest: string) => `${PREFIX}:definition:${digest}`,
  journal: (id: string) => `${PREFIX}:journal:${id}`,
  state: (id: string) => `${PREFIX}:state:${id}`,
  answers: (id: string) => `${PREFIX}:answers:${id}`,
  /** The scripts that run for its steps: the id of each job, and its queue. */
  children: (id: string) => `${PREFIX}:children:${id}`,
  events: (id: string) => `${PREFIX}:events:${id}`,
  /** Large results of its steps, in pieces. */
  results: (id: string) => `${PREFIX}:results:${id}`,
  /** What is known of each file that scripts handed out, and the files themselves. */
  artifacts: (id: string) => `${PREFIX}:artifacts:${id}`,
  artifactBytes: (id: string) => `${PREFIX}:artifact-bytes:${id}`,
  /** A file that came with a submission. */
  attachment: (tenant: string, sha256: string) => `${PREFIX}:attachment:${tenant}:${sha256}`,
  /** Deliveries for which a receiver (host and port) has no place left. */
  deferred: (receiver: string) => `${PREFIX}:aside:${receiver}`,
  /** How often the callback of an invocation was sent anew by request. */
  redeliveries: (id: string) => `${PREFIX}:redeliveries:${id}`,
  /** Who is to be woken when this invocation ends. */
  waiters: (id: string) => `${PREFIX}:waiters:${id}`,
  /** Which step brings about an effect that is to happen once in a session. */
  effect: (tenant: string, digest: string) => `${PREFIX}:effect:${tenant}:${digest}`,
  idempotency: (tenant: string, digest: string) => `${PREFIX}:idempotency:${tenant}:${digest}`,
  /** How long the last runs took, in ms: of what jobs of that name call, or of all jobs of the queue of that name. */
  runs: (name: string) => `${PREFIX}:runs:${name}`,
  /** Who takes jobs of a queue, and until when that is sure (ms). */
  consumers: (queue: WorkQueue) => `${PREFIX}:consumers:${queue}`,
  /** Since when Redis has been answering to the consumers of a queue without a gap (ms, by its own clock). */
  pulse: (queue: WorkQueue | typeof DELIVERIES) => `${PREFIX}:pulse:${queue}`,
  /** Every label that was ever offered or asked for. */
  labels: `${PREFIX}:labels`,
  /** There while one of the processes looks for what is to be forgotten. */
  sweep: `${PREFIX}:sweep`,
  /** Digests of definitions whose scripts bring dependencies. */
  wantedEnvironments: `${PREFIX}:wanted-environments`,
  /** A name for this Redis, the same for all that share it. */
  installation: `${PREFIX}:installation`,
  runner: (runnerId: string) => `${PREFIX}:runner:${runnerId}`,
  /** The one channel of news: of a job its id, with `ENDED` before it at its end; `answersOf(id)` where it has an answer. */
  notifications: `${PREFIX}:news`,
  /** The one channel on which the id of a job is told that somebody wishes to be cancelled. */
  cancelRequests: `${PREFIX}:cancels`,
} as const;

/** All that lies beside the job of an invocation, and is to be kept as long as it. */
export function dataKeysOf(id: string): string[] {
  return [
    keys.journal(id),
    keys.state(id),
    keys.answers(id),
    keys.children(id),
    keys.events(id),
    keys.results(id),
    keys.artifacts(id),
    keys.artifactBytes(id),
  ];
}

/** On the channel of news, before the id of a job: it has ended. */
export const ENDED = 'ended ';

/** The subscription that rings when somebody outside has answered to a step or node of the invocation. */
export function answersOf(id: string): string {
  return `answers ${id}`;
}

/** Our fields in the hash of a BullMQ job: they come and go with it, and BullMQ lets them be. */
export const FIELD = {
  /** When somebody wished its end, in ms. Whoever sets it before the job ends has decided: it is cancelled, whatever it still gives. */
  cancelRequestedAt: 'errand:cancel',
  /** For what it is parked: `time`, `answer`, or nothing any more (`woken`); absent once it is started again. */
  suspended: 'errand:parked',
  /** How many of its starts followed a park: those are no attempts. */
  suspensions: 'errand:parks',
  /** When it was first started, in ms, if it has been parked since. */
  begunAt: 'errand:begunAt',
  /** The status that its stream of events told last, where that is not the first `running`. */
  lastStatus: 'errand:told',
  /** An answer has come since it was last started. */
  answered: 'errand:answered',
} as const;

/** The message that an invocation has ended: there is one, however often it is sent. */
export function webhookIdOf(invocationId: string): string {
  return `msg_${invocationId.replace(/^inv_/, '')}`;
}

/** The job of a delivery: the first has the name of the message, others a number behind it. */
export function deliveryId(invocationId: string, index: number): string {
  return index === 0 ? webhookIdOf(invocationId) : `${webhookIdOf(invocationId)}.${index}`;
}

/** A script that runs as a step of an invocation is a job of its own; its id says whose, so that asking twice runs once. */
export function childId(invocationId: string, step: number, node?: string): string {
  return node === undefined
    ? `${invocationId}.${step}`
    : `${invocationId}.${step}.${Buffer.from(node).toString('base64url')}`;
}
