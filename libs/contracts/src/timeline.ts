import type { InvocationEvent } from './invocation.js';

type StepEvent = Extract<InvocationEvent, { event: 'step' }>;

/** A change of status: of an invocation, or with `index` of a step, or with `nodeId` of a node of that step. */
export interface StatusChange extends Pick<StepEvent, 'status' | 'nodeId' | 'attempt' | 'waiting'> {
  /** ISO 8601 UTC. */
  at: string;
  index?: number;
}

/** The stored changes of status: `GET /v1/invocations/:id/timeline`. The invocation has the times of what is missing. */
export interface Timeline {
  /** Oldest first. */
  items: StatusChange[];
  /** The number of the oldest events, which are not kept any more. They may have been changes of status. */
  missing: number;
}
