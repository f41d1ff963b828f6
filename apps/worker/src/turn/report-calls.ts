import { isFinal, type Round, type RoundCall, type TurnEvent } from '@errand/contracts';
import { readableWith, type ObservationBudget } from '@errand/protocol';
import type { StoredInvocation } from '@errand/queue';
import type { Turn } from './turn.js';

/** The calls of a round that hold the turn. They run in the child invocation. */
export function foregroundCalls({ calls }: Round): RoundCall[] {
  return calls.filter(({ background }) => !background);
}

/** What an Observation of this turn may show. */
export function budgetOf({ limits, tools }: Turn): ObservationBudget {
  return { maxChars: limits.maxResultChars, readable: readableWith((toolId) => tools.find(toolId) !== undefined) };
}

/** The longest result in an event and in the state, in characters. The child has the whole result. */
const MAX_SHOWN_CHARS = 4_096;

/**
 * Takes the present states of the calls over from the child. Returns the round to store, and an event for each call that has ended since
 * the last report.
 */
export function reportCalls(round: Round, { steps }: StoredInvocation): { stored: Round; events: TurnEvent[] } {
  const events: TurnEvent[] = [];
  const foreground = foregroundCalls(round);
  const calls = round.calls.map((call): RoundCall => {
    const step = steps[foreground.indexOf(call)];
    if (!step || isFinal(call.status) || step.status === call.status) return call;
    const { status, result, error } = step;
    const shown = { ...(result !== undefined && { result: cut(result) }), ...(error && { error }) };
    const changed = { ...call, status: status === 'queued' ? 'running' : status, ...shown } as const;
    if (isFinal(changed.status))
      events.push({ event: 'called', round: round.index, callId: call.callId, status, ...shown });
    return changed;
  });
  return { stored: { ...round, calls }, events };
}

function cut(value: RoundCall['result']): RoundCall['result'] {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length <= MAX_SHOWN_CHARS ? value : `${text.slice(0, MAX_SHOWN_CHARS)}… (${text.length} characters)`;
}
