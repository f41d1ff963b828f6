import type { PartialAnswer } from './partial.js';

/** Who has paused a queue, and why. All are null for a pause by another program, such as BullMQ's dashboard. */
export interface QueuePause {
  /** ISO 8601. */
  at: string | null;
  /** A subject, for example `key:<id>`. */
  by: string | null;
  note: string | null;
}

/** The work of a tenant in a queue. */
export interface TenantWork {
  tenant: string;
  waiting: number;
  active: number;
  /** The part of the starts that its weight gives it among the tenants with work, from 0 to 1. */
  share: number;
  /** The age of its oldest next job in ms; 0 if none waits. */
  oldestMs: number;
}

/** A queue, as `GET /v1/queues` shows it. The numbers of jobs are those of the tenants within reach, summed over all shards. */
export interface ShownQueue extends PartialAnswer {
  name: string;
  paused: QueuePause | null;
  waiting: number;
  active: number;
  /** Delayed jobs: they wait for a retry, a time or an answer. */
  later: number;
  /** Deliveries of invocations that have not ended. */
  owed: number;
  /** The age of the oldest next job in ms; 0 if none waits. */
  oldestMs: number;
  /** How many jobs all consumers of the queue run at the same time. */
  slots: number;
  /** The processes that take its jobs. */
  consumers: number;
  /** Jobs that ended in the last minute. */
  perMinute: number;
  /** The median time from acceptance to start of the jobs that ended last, in ms; 0 if none has ended. */
  p50WaitMs: number;
  /** A page of the tenants within reach that have work. */
  tenants: TenantWork[];
  /** The cursor of the next page of `tenants`, or null after the last one. */
  nextCursor: string | null;
  /** Only of `GET /v1/queues/:name`: the jobs within reach that start next, as far as it is known now. `since` is the time of acceptance. */
  next?: JobInHand[];
}

export const PROCESS_KINDS = ['api', 'worker', 'runner'] as const;
export type ProcessKind = (typeof PROCESS_KINDS)[number];

/** `draining`: it ends what it has and takes nothing new. `lost`: its heartbeat has stopped. */
export type ProcessState = 'ready' | 'draining' | 'lost';

/** A job that a process runs. */
export interface JobInHand {
  invocationId: string;
  /** Null for an invocation of several calls, and for a delivery. */
  step: number | null;
  /** Null for a delivery. */
  toolId: string | null;
  /** When the process began it (ISO 8601). */
  since: string;
}

/** A job that a lost process had, and where it is now. */
export interface JobLeft extends JobInHand {
  /** The process that has taken it over. Null: it waits, or it has ended. */
  process: string | null;
  /** `in-hand`: no other process has taken it over yet. `gone`: it has ended, or is not stored any more. */
  now: 'in-hand' | 'waiting' | 'taken-over' | 'gone';
}

/** How busy a process is, at its last heartbeat. */
export interface ProcessLoad {
  /** Resident memory in MiB. */
  rssMb: number;
  /** Processor time in cores: 1 is one core in full use. */
  cpu: number;
  /** The longest that its event loop kept a timer waiting, in ms. */
  eventLoopLagMs: number;
}

/** A process of Errand, as `GET /v1/processes` shows it. */
export interface ShownProcess {
  id: string;
  kind: ProcessKind;
  /** The name of its host. Null for everybody but the operator. */
  host: string | null;
  version: string;
  /** ISO 8601. */
  startedAt: string;
  lastSeenAt: string;
  state: ProcessState;
  /** The queues whose jobs it takes. */
  queues: string[];
  /** The labels of the scripts that a runner takes. */
  labels: string[];
  slots: number;
  /** The jobs that it runs now, of the tenants within reach. */
  inHand: JobInHand[];
  load: ProcessLoad;
  /** Only of a runner: started containers. */
  containers?: { waiting: number; running: number };
  /** Only in the feed: it has ended, and has left the list. */
  ended?: true;
  /** Only of a lost process: the jobs that it had at its last heartbeat, of the tenants within reach. */
  left?: JobLeft[];
}

/** GET /v1/processes */
export interface ProcessList extends PartialAnswer {
  items: ShownProcess[];
  nextCursor: null;
}

/** GET /v1/queues */
export interface QueueList extends PartialAnswer {
  items: ShownQueue[];
  nextCursor: null;
}
