import type { Status } from './status.js';

/** An invocation as a row of a list: at most 2 KiB of JSON, whatever the invocation holds. A cut text ends in `…`. */
export interface InvocationRow {
  id: string;
  status: Status;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  agent: string | null;
  session: string | null;
  /** Each tool of its steps once, in the order of the steps. `…` at the end stands for the rest. */
  toolIds: readonly string[];
  steps: { total: number; done: number };
  /** The number of starts. */
  attempts: number;
  /** From 0 to 1. */
  progress: number | null;
  errorType: string | null;
  errorMessage: string | null;
  /** What a suspended invocation waits for, for people. */
  waitingFor: string | null;
  /** The invocation that it retries. */
  retryOf: string | null;
  /** Its owner. Only responses to the operator have it. */
  tenant?: string;
}
