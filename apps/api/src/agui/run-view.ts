import type { AguiInput, AguiMessage, AguiRunIds } from '@errand/agents';
import type { AguiRunName, RunWait } from '@errand/queue';
import type { RequestScope } from '../http/request-scope.js';
import { ProblemError } from '../http/problem-error.js';
import type { RunInput } from './read-run-input.js';

/** One request for a run. */
export interface RunRequest extends RunInput {
  scope: RequestScope;
  agent: string;
  /** W3C `traceparent`. */
  trace?: string;
}

/** What the response to a request shows. */
export type RunView =
  /** The events of a turn behind number `after`. */
  | { kind: 'turn'; turn: string; after: number }
  /** Nothing of the turn, because the client has to give more answers first. */
  | { kind: 'left'; turn: string; left: readonly RunWait[] }
  /** The reason why the run did nothing. */
  | { kind: 'refused'; turn?: string; code: string; message: string };

export function nameOf({ scope, agent, input }: Pick<RunRequest, 'scope' | 'agent' | 'input'>): AguiRunName {
  return { tenant: scope.tenant, session: input.threadId, agent, runId: input.runId };
}

export function idsOf({ threadId, runId, parentRunId }: AguiInput, turn: string | undefined): AguiRunIds {
  return {
    threadId,
    runId,
    ...(parentRunId !== undefined && { parentRunId }),
    ...(turn !== undefined && { invocationId: turn }),
  };
}

/** The messages of the client for a snapshot, as it sent them. */
export function sentMessages({ messages }: AguiInput): AguiMessage[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- AG-UI's schema has checked them
  return messages.filter(({ id, role }) => id !== '' && role !== 'activity' && role !== 'reasoning') as AguiMessage[];
}

/** Runs `act`, and turns a refusal into a view: the stream then reports it. Other errors pass. */
export async function refusedInStream(turn: string | undefined, act: () => Promise<RunView>): Promise<RunView> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ProblemError) || !IN_STREAM.has(error.code)) throw error;
    return { kind: 'refused', code: error.code, message: error.detail, ...(turn !== undefined && { turn }) };
  }
}

/** The refusals that a client reads in the stream. The others are responses of HTTP. */
const IN_STREAM: ReadonlySet<string> = new Set(['not_found', 'conflict', 'invalid_request', 'invalid_parameters']);
