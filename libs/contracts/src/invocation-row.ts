import type { Invocation } from './invocation.js';

/** An invocation as a row of a list: at most 2 KiB of JSON, whatever the invocation holds. A cut text ends in `…`. */
export interface InvocationRow extends Pick<
  Invocation,
  'id' | 'status' | 'createdAt' | 'startedAt' | 'finishedAt' | 'agent' | 'session' | 'progress'
> {
  /** Each tool of its steps once, in the order of the steps. `…` at the end stands for the rest. */
  toolIds: readonly string[];
  steps: { total: number; done: number };
  /** The number of starts. */
  attempts: number;
  errorType: string | null;
  errorMessage: string | null;
  /** What an open invocation waits for: an answer, a script-runner, or a queue that starts no job. For people. */
  waitingFor: string | null;
  /** The invocation that it retries. */
  retryOf: string | null;
}
