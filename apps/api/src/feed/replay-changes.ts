import {
  changesAfter,
  countChangesAfter,
  FEED_KEPT,
  FEED_KEPT_MS,
  LOG_START,
  readListed,
  type FeedLog,
  type Queues,
} from '@errand/queue';
import type { FeedEventName } from '@errand/contracts';
import { readRow } from '../http/read-list-page.js';
import type { RequestScope } from '../http/request-scope.js';
import type { FeedItem, SharedPosition } from './feed-item.js';
import { InboxChanges } from './inbox-changes.js';
import type { FeedQuery } from './read-feed-query.js';

/** The changes that are read at once. */
const PAGE = 100;

interface Replay {
  queues: Queues;
  log: FeedLog;
  scope: RequestScope;
  topics: FeedQuery['topics'];
}

/** Why the events behind a position cannot be sent, for people; undefined if they can. @throws any error of Redis */
export async function whyLost({ queues, scope, topics }: Replay, from: SharedPosition): Promise<string | undefined> {
  if (topics.has('refusals') && from.log !== LOG_START && Date.now() - from.at > FEED_KEPT_MS)
    return `The position is older than the ${FEED_KEPT_MS / 60_000} minutes for which events are kept`;
  if (!topics.has('invocations') && !topics.has('inbox')) return undefined;
  const counts = await Promise.all(
    shardsOf(queues).map((shard) => countChangesAfter(shard, scope.tenant, from.changes.get(shard.keyspace) ?? 0)),
  );
  const count = counts.reduce((sum, each) => sum + each, 0);
  return count > FEED_KEPT ? `${count} invocations have changed since; at most ${FEED_KEPT} are sent again` : undefined;
}

/** Everything behind a position: each changed invocation once, in its present state, oldest change first in each shard. */
export async function* replayChanges(replay: Replay, from: SharedPosition): AsyncGenerator<FeedItem> {
  const { queues, log, scope, topics } = replay;
  let position = from;
  const inbox = new InboxChanges();
  const shards = topics.has('invocations') || topics.has('inbox') ? shardsOf(queues) : [];
  for (const shard of shards) {
    for (;;) {
      const after = position.changes.get(shard.keyspace) ?? 0;
      const changes = await changesAfter(shard, scope.tenant, after, PAGE);
      const ids = changes.map(({ id }) => id);
      const found = ids.length > 0 ? await readListed(queues, scope.tenant, ids) : new Map<string, never>();
      for (const { id, number } of changes) {
        position = { ...position, changes: new Map(position.changes).set(shard.keyspace, number) };
        const invocation = found.get(id);
        if (!invocation) continue;
        const row = JSON.stringify(await readRow(queues, invocation));
        yield { topic: 'invocations', event: 'invocation', data: row, invocation, position };
        for (const change of inbox.of(invocation))
          yield { topic: 'inbox', event: 'inbox', data: JSON.stringify(change), invocation, position };
      }
      if (changes.length < PAGE) break;
    }
  }
  if (topics.has('refusals')) yield* replayLog(log, scope.tenant, position);
}

async function* replayLog(log: FeedLog, tenant: string, from: SharedPosition): AsyncGenerator<FeedItem> {
  for (const { id, event, data } of await log.read(tenant, from.log, FEED_KEPT))
    yield { topic: 'refusals', event: event as FeedEventName, data, position: { ...from, log: id } };
}

function shardsOf(queues: Queues): readonly Queues[] {
  return queues.shards?.all ?? [queues];
}
