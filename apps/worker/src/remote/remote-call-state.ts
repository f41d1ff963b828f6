import type { InputRequest, RemoteTask } from '@errand/mcp-client';
import type { CallOrigin } from '@errand/engine';
import type { StepContext } from '../steps/step-context.js';

/**
 * The journal's state of an unfinished call of another server. No state means: the call was not sent, or its outcome is
 * unknown.
 *
 * - `asked`: the server asked for input. Its answers are sent with the call again, or to the task.
 * - `task`: the server runs a task. Polls continue with it, in any process.
 */
export interface RemoteCallState {
  /** The name of the server, to end the task. */
  server?: string;
  task?: RemoteTask;
  /** The time of the next poll of the task, in ms since 1970. Absent: after its interval. */
  pollAt?: number;
  asked?: { requests: InputRequest[]; requestState?: string };
  /** The number of questions asked before `asked`. Each question has a key of its own. */
  questions?: number;
  /** The number of times that the server asked to be called again. */
  rounds?: number;
  /** The keys of the questions of the task that were answered. */
  answered?: string[];
}

/** The beginning of these fields. No field of a step or node begins so. */
export const REMOTE_FIELDS = 'mcp:';

/** The field of the journal for a call of a step, or of a node of the step. */
export function remoteField({ index }: Pick<StepContext, 'index'>, origin?: Pick<CallOrigin, 'key'>): string {
  return `${REMOTE_FIELDS}${operationOf({ index }, origin)}`;
}

/** The name of the call among the operations that take effect once. */
export function operationOf({ index }: Pick<StepContext, 'index'>, origin?: Pick<CallOrigin, 'key'>): string {
  return origin ? `${index}/${origin.key}` : `${index}`;
}
