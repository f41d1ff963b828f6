import type { FeedData, FeedEventName, FeedTopic } from '@errand/contracts';
import type { RequestScope } from '../http/request-scope.js';

/** Takes an event of a source. */
export type Emit = <Name extends FeedEventName>(event: Name, data: FeedData[Name]) => void;

/** What a topic of the feed has besides changes of invocations. */
export interface FeedSource {
  readonly topic: FeedTopic;
  /**
   * Begins to emit the events that the listeners of a scope may see; returns how to stop. It is called when the first listener comes, so
   * that a source works only while somebody listens.
   */
  subscribe(scope: RequestScope, emit: Emit): () => void;
}

/** The sources of the feed, as one injected value. */
export abstract class FeedSources {
  abstract readonly all: readonly FeedSource[];
}
