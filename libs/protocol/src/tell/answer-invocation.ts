import { isFinal, type Invocation } from '@errand/contracts';
import { observeInvocation } from './observe-invocation.js';
import { observeWaiting } from './observe-waiting.js';

/** An invocation as far as the store knows it. */
export type Told = Omit<Invocation, 'observation' | 'links'>;

/**
 * What a caller gets to see of an invocation, wherever it is told of: what is stored, the words for the model, and where to go
 * from here.
 * @param maxChars the most characters of a result in the observation
 */
export function answerInvocation(stored: Told, maxChars?: number): Invocation {
  const self = `/v1/invocations/${stored.id}`;
  return {
    ...stored,
    observation: isFinal(stored.status)
      ? observeInvocation(stored, { maxChars, readMore: `GET ${self}/result` })
      : observeWaiting(stored.steps, self),
    links: linksOf(self),
  };
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
