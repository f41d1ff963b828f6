import { isFinal, type Invocation } from '@errand/contracts';
import { observeInvocation, type ObservationBudget } from './observe-invocation.js';
import { observeWaiting } from './observe-waiting.js';
import { observeWarnings } from './observe-warnings.js';

/** An invocation as Redis stores it. */
export type ObservedInvocation = Omit<Invocation, 'observation' | 'links'>;

/** Returns an invocation as callers see it: the stored data, the Observation and the links. */
export function toInvocationResponse(stored: ObservedInvocation, options: ObservationBudget): Invocation {
  return { ...stored, observation: observe(stored, options), links: linksOf(`/v1/invocations/${stored.id}`) };
}

/** Before the end, the Observation has a line for each missing answer and each warning. */
function observe(stored: ObservedInvocation, options: ObservationBudget): string | null {
  if (isFinal(stored.status)) return observeInvocation(stored, options);
  return [...observeWaiting(stored.steps), ...observeWarnings(stored.warnings)].join('\n') || null;
}

/** The links of an invocation. */
export function linksOf(self: string): Invocation['links'] {
  return {
    self,
    events: `${self}/events`,
    logs: `${self}/logs`,
    result: `${self}/result`,
    deliveries: `${self}/deliveries`,
  };
}
