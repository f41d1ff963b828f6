import { isFinal, type Invocation } from '@errand/contracts';
import { observeInvocation, type ObservationBudget } from './observe-invocation.js';
import { observeWaiting } from './observe-waiting.js';
import { observeWarnings } from './observe-warnings.js';

/** An invocation as far as the store knows it. */
export type ObservedInvocation = Omit<Invocation, 'observation' | 'links'>;

/**
 * What a caller gets to see of an invocation, wherever it is told of: what is stored, the words for the model, and where to go
 * from here.
 */
export function toInvocationResponse(stored: ObservedInvocation, options: ObservationBudget): Invocation {
  return { ...stored, observation: observe(stored, options), links: linksOf(`/v1/invocations/${stored.id}`) };
}

/** Before the end there is a line for each answer that is missing, and for each warning. */
function observe(stored: ObservedInvocation, options: ObservationBudget): string | null {
  if (isFinal(stored.status)) return observeInvocation(stored, options);
  return [...observeWaiting(stored.steps), ...observeWarnings(stored.warnings)].join('\n') || null;
}

/** Where to go on from an invocation. */
export function linksOf(self: string): Invocation['links'] {
  return {
    self,
    events: `${self}/events`,
    logs: `${self}/logs`,
    result: `${self}/result`,
    deliveries: `${self}/deliveries`,
  };
}
