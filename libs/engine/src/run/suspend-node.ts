import { ToolError, type Json, type NodeState, type SuspendRequest, type Waiting } from '@errand/contracts';
import type { Attempt } from './attempt.js';
import type { Wait } from './waits.js';

/**
 * Suspends a node: stores what it waits for, and waits.
 * If the run is left and resumed, the node reaches this call again. The wait then continues with the same deadline and
 * the same answer. A wait that ended before the resume ends at once in the same way.
 * @throws TimeoutError if no answer comes in time; NodeError if the answer is an error
 */
export function suspendNode(attempt: Attempt, state: NodeState, request: SuspendRequest): Promise<Json | undefined> {
  return attempt.suspend((number) => suspendFor(attempt, state, request, number));
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
  const isFinished = before !== undefined && number < numberOf(before);
  if (!isFinished && run.waits.answerTo(key) === undefined) {
    if (before?.key !== key) await requireSchema(attempt, request);
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

/** @throws ParameterValidationError for a schema that cannot be used: no answer could be checked against it */
async function requireSchema({ signal, scope }: Attempt, request: SuspendRequest): Promise<void> {
  const { checkSchema } = scope.run.options;
  if (request.for !== 'answer' || request.schema === undefined || !checkSchema) return;
  const problems = await checkSchema(request.schema, signal);
  if (problems.length === 0) return;
  const reasons = problems.map(({ path, message }) => (path === '' ? message : `${message} (at ${path})`)).join('; ');
  throw new ToolError('ParameterValidationError', `The schema of the answer is invalid: ${reasons}`);
}

async function waitSuspended(attempt: Attempt, state: NodeState & { waiting: Waiting }): Promise<void> {
  const { run } = attempt.scope;
  const { for: what, until, key } = state.waiting;
  const wait: Wait = {
    ...(key !== undefined && { key }),
    ...(until !== null && { until: Date.parse(until) }),
    forAnswer: what === 'answer',
  };
  if (run.journaled.get(state.nodeId)?.waiting !== state.waiting) run.outcomes.add([state], true);
  await run.outcomes.flush()?.catch(() => {});
  run.emit?.({ event: 'node', state });
  await waitPaused(attempt, wait);
}

/** Waits without a permit, with all time limits of the attempt paused. A node must not act before it waits. */
export async function waitPaused(attempt: Attempt, wait: Wait): Promise<void> {
  attempt.throwIfOver();
  const { limits, scope, once } = attempt;
  await once?.clear();
  for (const limit of limits) limit.pause();
  try {
    await attempt.waitWithoutPermit(scope.run.waits.wait(wait, attempt.signal));
  } finally {
    for (const limit of limits) limit.resume();
  }
  await once?.set();
}

/** The deadline of an answer is that of the whole run, if the run has one. Otherwise the node's timeout applies. */
function waitingFor(request: SuspendRequest, key: string, deadline: number | undefined): Waiting {
  const until = request.for === 'time' ? inMs(request.ms) : (deadline ?? inMs(request.timeoutMs));
  return {
    for: request.for,
    key,
    until: until === undefined ? null : new Date(until).toISOString(),
    ...(request.for === 'answer' && request.prompt !== undefined && { prompt: request.prompt }),
    ...(request.for === 'answer' && request.schema !== undefined && { schema: request.schema }),
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
