import { isFinal, type Invocation } from '@errand/contracts';
import { observeInvocation } from '@errand/protocol';
import type { StoredInvocation } from '@errand/queue';
import { observeWaiting } from './observe-waiting.js';

/** What a caller gets to see of an invocation: what is stored, the words for the model, and where to go from here. */
export class AnswerInvocation {
  of({ record, ...stored }: StoredInvocation): Invocation {
    const self = `/v1/invocations/${stored.id}`;
    return {
      ...stored,
      observation: isFinal(stored.status)
        ? observeInvocation(stored, { maxChars: record.maxResultChars, readMore: `GET ${self}/result` })
        : observeWaiting(stored.steps, self),
      links: { self, events: `${self}/events`, logs: `${self}/logs`, result: `${self}/result` },
    };
  }
}
