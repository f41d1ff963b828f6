import type { InvocationRow } from '@errand/contracts';
import type { FeedEvent } from '../../live/follow-feed.js';

/** Whether a session has changed by an event of the feed, or may have changed because the feed has left changes out. */
export function concernsSession({ event, data }: FeedEvent, session: string): boolean {
  if (event === 'dropped') return true;
  if (event !== 'invocation' && event !== 'refusal') return false;
  return (data as { session: string | null }).session === session;
}

/** Whether an event reports an invocation that an agent takes part in. Only such a session has a conversation. */
export function hasAgent({ event, data }: FeedEvent): boolean {
  return event === 'invocation' && (data as InvocationRow).agent !== null;
}
