import { ToolError, type Json, type NodeState, type SuspendRequest, type Waiting } from '@errand/contracts';
import type { Attempt } from './attempt.js';
import type { Wait } from './waits.js';

/**
 * Parks a node: writes down what it waits for, and waits. When its run is left and taken up again the node gets here anew, and
 * the wait goes on where it was: until the same time, for the same answer; one that is behind it ends at once as it ended then.
 * @throws TimeoutError where no answer came in time; NodeError where the answer is an error
 */
export function suspendNode(attempt: Attempt, state: NodeState, request: SuspendRequest): Promise<Json | undefined> {
  return attempt.park((number) => suspendFor(attempt, state, request, number));
}

async function suspendFor(
  attempt: Attempt,
  state: NodeState,
  request: SuspendRequest,
  number: number,
): Promise<Json | undefined> {
  const { run } = attempt.scope;
  const key = `${state.nodeId}:${number}`;
  const before = run.journaled.get(state.nodeId)?.waiting;
  const isBehind = before !== undefined && number < numberOf(before);
  if (!isBehind && run.waits.answerTo(key) === undefined) {
    const waiting = before?.key === key ? before : waitingFor(request, key, run.options.deadline);
    await waitSuspended(attempt, {
      ...state,
      status: request.for === 'answer' ? 'waiting_external' : 'running',
      waiting,
    });
    run.emit?.({ event: 'node', state: { ...state } });
  }
  return request.for === 'time' ? undefined : answered(attempt, key, request.timeoutMs);
}

async function waitSuspended(attempt: Attempt, state: NodeState & { waiting: Waiting }): Promise<void> {
  const { run } = attempt.scope;
  const { for: what, until, key } = state.waiting;
  const wait: Wait = {
    ...(key !== undefined && { key }),
    ...(until !== null && { until: Date.parse(until) }),
    forAnswer: what === 'answer',
  };
  if (run.journaled.get(state.nodeId)?.waiting !== state.waiting) await run.keep([state]);
  run.emit?.({ event: 'node', state });
  await waitAside(attempt, wait);
}

/** Waits without holding anything; it is on nobody's time. */
export async function waitAside(attempt: Attempt, wait: Wait): Promise<void> {
  attempt.throwIfOver();
  const { limits, scope } = attempt;
  for (const limit of limits) limit.pause();
  try {
    await attempt.waitWithoutPermit(scope.run.waits.wait(wait, attempt.signal));
  } finally {
    for (const limit of limits) limit.resume();
  }
}

/** An answer has the time of the whole run where that has an end, else the time that the node gives it. */
function waitingFor(request: SuspendRequest, key: string, deadline: number | undefined): Waiting {
  const until = request.for === 'time' ? inMs(request.ms) : (deadline ?? inMs(request.timeoutMs));
  return {
    for: request.for,
    key,
    until: until === undefined ? null : new Date(until).toISOString(),
    ...(request.for === 'answer' && request.prompt !== undefined && { prompt: request.prompt }),
  };
}

function inMs(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Date.now() + ms;
}

function answered({ scope }: Attempt, key: string, timeoutMs: number | undefined): Json {
  const { waits, options } = scope.run;
  const answer = waits.answerTo(key);
  const time = options.deadline === undefined ? `within ${timeoutMs} ms` : 'in time';
  if (!answer) throw new ToolError('TimeoutError', `No answer came ${time}`);
  if ('error' in answer) throw new ToolError('NodeError', answer.error.message);
  return answer.result;
}

function numberOf({ key = '' }: Waiting): number {
  return Number(key.slice(key.lastIndexOf(':') + 1));
}
