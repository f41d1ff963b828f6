import type { Step } from '@errand/contracts';
import { observeInvocation, type ObservationBudget } from '@errand/protocol';
import type { Accepted, ToldEnd } from '@errand/queue';
import { invocationText } from './accepted-json.js';
import type { RequestScope } from './request-scope.js';

/**
 * The JSON of an accepted invocation after its end. It is equal to `JSON.stringify(toResponse(…))`, and builds no invocation. Undefined unless
 * the invocation is a single call that succeeded: everything else is rare, and has more fields.
 */
export function endedJson(
  accepted: Accepted,
  { startedOn, finishedOn, starts, outcome }: ToldEnd,
  scope: Pick<RequestScope, 'showsTenant'>,
  budget: ObservationBudget,
): string | undefined {
  const { id, record } = accepted;
  const [call] = record.calls;
  const [ended] = outcome.steps;
  if (!call || !ended || record.calls.length > 1 || call.kind === 'agent') return undefined;
  if (record.messageForm !== undefined || record.parentTurn !== undefined) return undefined;
  if (ended.status !== 'succeeded' || ended.error || ended.large || ended.waiting || ended.deduplicatedFrom)
    return undefined;
  const { toolId, version, arguments: args, callId } = call;
  const { result } = ended;
  const [startedAt, finishedAt] = [new Date(startedOn).toISOString(), new Date(finishedOn).toISOString()];
  const step: Step = {
    index: 0,
    toolId,
    version,
    arguments: args,
    callId,
    status: 'succeeded',
    result,
    startedAt: ended.startedAt ?? startedAt,
    finishedAt: ended.finishedAt ?? finishedAt,
    attempts: ended.attempts ?? starts,
  };
  const { warnings } = record;
  return invocationText(accepted, scope, {
    status: 'succeeded',
    startedAt,
    finishedAt,
    steps: JSON.stringify(step),
    result: JSON.stringify(result ?? null),
    progress: 1,
    observation: observeInvocation({ id, steps: [step], status: 'succeeded', error: null, warnings }, budget),
  });
}
