import type { FeedEventName, FeedTopic } from '@errand/contracts';
import type { InvocationQuery, ListedInvocation } from '@errand/queue';
import type { FeedQuery } from './read-feed-query.js';
import { matchesFilter, matchesRefusal } from './matches-filter.js';
import type { FeedPosition } from './feed-position.js';

/** How far a tenant's feed had been read after an event. Followed streams have a position of their own. */
export type SharedPosition = Omit<FeedPosition, 'followed'>;

/** An event of the feed, made once for all listeners of a tenant. */
export interface FeedItem {
  topic: FeedTopic;
  event: FeedEventName;
  /** JSON */
  data: string;
  /** The invocation that filters select by. */
  invocation?: ListedInvocation;
  position: SharedPosition;
}

/** Whether a listener gets an item. */
export function isWanted({ topics, filter }: Pick<FeedQuery, 'topics' | 'filter'>, item: FeedItem): boolean {
  if (item.event === 'dropped') return topics.has('invocations') || topics.has('inbox');
  if (!topics.has(item.topic)) return false;
  if (item.invocation) return matchesFilter(filter, item.invocation);
  return item.topic !== 'refusals' || hasNoSubject(filter) || matchesRefusal(filter, JSON.parse(item.data) as object);
}

function hasNoSubject({ toolId, agent, session }: InvocationQuery): boolean {
  return toolId === undefined && agent === undefined && session === undefined;
}

/** An event of the stream as text. `data` is JSON. */
export function eventText(id: string, event: FeedEventName, data: string): string {
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
}
