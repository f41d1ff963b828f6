import type { InvocationEvent } from './invocation.js';

/** A line of the log of an invocation. */
export interface LogLine extends Pick<Extract<InvocationEvent, { event: 'log' }>, 'line' | 'stream' | 'step'> {
  /** The number of the line in the log of the invocation, from 1. */
  n: number;
  /** ISO 8601 UTC. */
  at: string;
}

/** A page of a log: `GET /v1/invocations/:id/logs`. */
export interface LogPage {
  items: LogLine[];
  /** The number of lines that the invocation has logged, whatever the page asks for. */
  total: number;
  /** The number of the first line that is still kept. */
  firstKept: number;
  /** The `after` of the next page. Null if no later line fits. */
  nextCursor: string | null;
}
