import type { JsonObject } from './json.js';
import type { InvocationRow } from './invocation-row.js';
import type { ProblemCode } from './problem.js';
import type { Status } from './status.js';

/** What a bulk action does with each of its invocations. */
export const BULK_KINDS = ['cancel', 'retry', 'redeliver'] as const;
export type BulkKind = (typeof BULK_KINDS)[number];

export const BULK_STATES = ['running', 'done', 'aborted'] as const;
export type BulkState = (typeof BULK_STATES)[number];

/** The answer to a dry run: what the action would touch. Times are ISO 8601. */
export interface BulkDryRun {
  /** Starts the action, once and until `expiresAt`. */
  token: string;
  matched: number;
  byStatus: { [status in Status]?: number };
  /** The first ten. */
  sample: InvocationRow[];
  /** The action touches nothing that was accepted after this time. */
  asOf: string;
  expiresAt: string;
}

/** A bulk action with its progress. `done + skipped + failedCount` of `matched` invocations are dealt with. */
export interface BulkAction {
  id: string;
  action: BulkKind;
  name: string | null;
  /** The filter of the dry run; null if it named ids. */
  filter: JsonObject | null;
  asOf: string;
  /** Who began it. */
  by: string;
  startedAt: string;
  finishedAt: string | null;
  state: BulkState;
  matched: number;
  done: number;
  /** Invocations that had changed since the dry run, so that nothing was left to do. After a kill, also some that the action had changed. */
  skipped: number;
  /** The first 1,000 failures. */
  failed: { id: string; code: ProblemCode }[];
  failedCount: number;
}
