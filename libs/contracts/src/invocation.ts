import type { Json, JsonObject } from './json.js';
import type { PlacedWarning } from './problem.js';
import type { Failure } from './tool-error.js';

export const STATUSES = ['queued', 'running', 'waiting_external', 'succeeded', 'failed', 'cancelled'] as const;
export type Status = (typeof STATUSES)[number];

/**
 * The legal ways of an invocation, and of each of its steps:
 *
 *   queued ─► running ─► succeeded | failed | cancelled        (final: never changes again)
 *     │          │ ▲
 *     │          ▼ │
 *     │    waiting_external      parked for an answer from outside; woken by it, or failed by its deadline
 *     │
 *     └─► cancelled | failed     before it ever ran
 *
 * `running ─► queued` is a retry: of a retryable failure, or after the death of the process that ran it.
 */
export const TRANSITIONS: Readonly<Record<Status, readonly Status[]>> = {
  queued: ['running', 'cancelled', 'failed'],
  running: ['queued', 'waiting_external', 'succeeded', 'failed', 'cancelled'],
  waiting_external: ['running', 'queued', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
};

/** Whether the status never changes again. */
export function isFinal(status: Status): boolean {
  return TRANSITIONS[status].length === 0;
}

export interface Step {
  index: number;
  toolId: string;
  version: string;
  arguments: JsonObject;
  status: Status;
  result?: Json;
  /** Set where the result is large: `result` is the beginning of its text, which has so many characters in all. */
  resultTruncated?: { total: number };
  error?: Failure;
  startedAt: string | null;
  finishedAt: string | null;
  attempts: number;
  /** Set while an external tool, or another invocation, is waited for. */
  waiting?: Waiting;
  /** Of a tool that takes effect once: it was not run again, for the same call of this session had been, here. */
  deduplicatedFrom?: { invocationId: string; step: number };
  /** A workflow's nodes. */
  nodes?: NodeState[];
}

export interface NodeState {
  nodeId: string;
  type: string;
  status: Status | 'skipped';
  /** How often it was begun, with the retries that the workflow asks for. */
  attempts?: number;
  inputs?: JsonObject;
  result?: Json;
  error?: Failure;
  startedAt: string | null;
  finishedAt: string | null;
  /** Set while it is parked. */
  waiting?: Waiting;
}

/** What a parked step or node waits for, and until when at the latest (ISO 8601; null: for as long as it is kept). */
export interface Waiting {
  for: 'time' | 'answer' | 'invocation' | 'runner';
  /** What a script-runner must offer to take the script that waits for one. */
  label?: string;
  /** The invocation whose end, or step, is waited for. */
  invocationId?: string;
  /** Of a node: under which name its answer is handed in. Each wait of a node has its own. */
  key?: string;
  until: string | null;
  prompt?: Json;
}

/** A file that a script handed out: `GET /v1/invocations/:id/artifacts/:name?step=`. */
export interface Artifact {
  /** Relative, with `/`. */
  name: string;
  /** In bytes. */
  size: number;
  contentType: string;
  /** In hex. */
  sha256: string;
  step: number;
}

/** A file that came with a submission and that its scripts find in `$ERRAND_IN`; its bytes lie elsewhere, under their digest. */
export interface Attachment {
  name: string;
  contentType?: string;
  /** In bytes. */
  size: number;
  /** In hex. */
  sha256: string;
}

/** An accepted submission, as callers see it. Times are ISO 8601 UTC. */
export interface Invocation {
  id: string;
  status: Status;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  agent: string | null;
  session: string | null;
  responseText: string | null;
  /** What was repaired or ignored in the text of the submission; absent where nothing was. */
  warnings?: PlacedWarning[];
  metadata: JsonObject | null;
  /** Which failed invocation this one repairs, and the inputs that it replaced, by step or node. */
  retryOf?: { invocationId: string; steps?: Record<string, { inputs: JsonObject }> };
  /** `calls` and `steps` are the same list under two names. */
  calls: Step[];
  steps: Step[];
  /** The value itself where there is one step, else the list. */
  result: Json;
  /** Results of steps are too large to be shown whole: `links.result` has them. */
  resultTruncated?: true;
  error: Failure | null;
  /** Files that its scripts handed out; absent where there are none. */
  artifacts?: Artifact[];
  /** Files that came with it; absent where there are none. */
  attachments?: Attachment[];
  observation: string | null;
  progress: number | null;
  /** Of one that is queued, or waits for an answer or for a script-runner of a label, where it is read by itself. */
  queue?: QueuePlace;
  links: Record<string, string>;
}

/** Why an invocation does not run. What nobody can know is null. */
export interface QueuePlace {
  /** 1 is the next. */
  position: number | null;
  ahead: number | null;
  /** In words. */
  waitingFor: string;
  /** When it may have ended, by how quick its queue and its tool were lately. */
  etaMs: number | null;
}

/** What an invocation tells while it lives; the `data` of its server-sent events, less `invocationId` and `at`. */
export type InvocationEvent =
  | { event: 'status'; status: Status }
  | { event: 'step'; index: number; status: NodeState['status']; nodeId?: string }
  | { event: 'progress'; value: number; message?: string }
  | { event: 'log'; line: string; stream: 'stderr' | 'node'; step: number }
  /** `output` is the name of the workflow's output that the chunk is of. */
  | { event: 'output'; step: number; output?: string; chunk: Json }
  | { event: 'end'; invocation: Invocation };
