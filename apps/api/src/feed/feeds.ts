import { FeedLog, NotificationHub, Queues } from '@errand/queue';
import { Injectable } from '@nestjs/common';
import { findInvocation } from '../http/find-invocation.js';
import type { RequestScope } from '../http/request-scope.js';
import { parseCursor, START } from '../stream/event-cursor.js';
import { OpenWaits } from '../stream/open-waits.js';
import { Patience, type OnDisconnect } from '../stream/patience.js';
import { InvocationWatcher } from '../stream/wait-for-invocation.js';
import { parsePosition, type FeedPosition } from './feed-position.js';
import { FeedQueue } from './feed-queue.js';
import { FeedSources } from './feed-source.js';
import { feedTexts } from './feed-texts.js';
import type { FeedQuery } from './read-feed-query.js';
import { replayChanges, whyLost } from './replay-changes.js';
import { TenantFeed } from './tenant-feed.js';

const UNKNOWN = 'This position is not known; read again what you show';

/** A stream that a client has asked for. */
interface FeedRequest {
  scope: RequestScope;
  query: FeedQuery;
  /** The header Last-Event-ID. */
  lastEventId: string | undefined;
}

/** The feeds of this process, one for each tenant and view of it that has listeners. */
@Injectable()
export class Feeds {
  private readonly feeds = new Map<string, TenantFeed>();
  private readonly open = new OpenWaits<Patience>();

  constructor(
    private readonly queues: Queues,
    private readonly notifications: NotificationHub,
    private readonly log: FeedLog,
    private readonly sources: FeedSources,
    private readonly watcher: InvocationWatcher,
  ) {}

  /** Opens a stream of server-sent events as text. It ends when the client disconnects or is too slow. @throws any error of Redis */
  async stream(request: FeedRequest, onDisconnect: OnDisconnect): Promise<AsyncGenerator<string>> {
    const { scope, query, lastEventId } = request;
    const from = lastEventId === undefined ? undefined : parsePosition(lastEventId);
    const queue = new FeedQueue(query, from?.followed ?? new Map());
    if (lastEventId !== undefined) queue.awaitReplay();
    const { feed, leave } = await this.join(scope, queue);
    const patience = new Patience(onDisconnect, this.open);
    patience.addEventListener('abort', () => queue.stop());
    const end = () => {
      leave();
      patience.abort();
      patience.end();
    };
    if (lastEventId !== undefined) void this.resume(request, queue, feed, from).catch(() => queue.fail());
    for (const id of query.follow) void this.follow(scope, id, queue, patience).catch(() => {});
    return feedTexts(queue, patience, end);
  }

  /** Ends all streams, also those that open later, so that the server can close. */
  release(): void {
    this.open.abortAll();
    this.log.close();
  }

  private async join(scope: RequestScope, queue: FeedQueue): Promise<{ feed: TenantFeed; leave: () => void }> {
    const key = JSON.stringify([scope.tenant, String(scope.reach), scope.showsTenant]);
    const { queues, notifications, log } = this;
    const feed =
      this.feeds.get(key) ?? new TenantFeed(scope, { queues, notifications, log, sources: this.sources.all });
    this.feeds.set(key, feed);
    const leave = () => {
      if (feed.remove(queue) && this.feeds.get(key) === feed) this.feeds.delete(key);
    };
    try {
      queue.begin(await feed.add(queue));
    } catch (error) {
      leave();
      throw error;
    }
    return { feed, leave };
  }

  /** Sends what the client has missed, or tells it that this is not known. */
  private async resume(
    { scope, query: { topics } }: FeedRequest,
    queue: FeedQueue,
    feed: TenantFeed,
    from: FeedPosition | undefined,
  ): Promise<void> {
    const replay = { queues: this.queues, log: this.log, scope, topics };
    const reason = from ? await whyLost(replay, from) : UNKNOWN;
    if (from && reason === undefined) await queue.replay(replayChanges(replay, from));
    else queue.reset(reason ?? UNKNOWN, feed.position());
  }

  /** Adds the events of one invocation. One that is unknown or out of reach has none. */
  private async follow(scope: RequestScope, id: string, queue: FeedQueue, patience: Patience): Promise<void> {
    const { steps } = await findInvocation(this.queues, scope.reach, id);
    const from = queue.cursorOf(id) ?? START;
    if (from.status === 'end') return;
    const onDisconnect: OnDisconnect = (abort) => {
      patience.addEventListener('abort', abort);
      return () => patience.removeEventListener('abort', abort);
    };
    for await (const item of this.watcher.stream({ scope, id, alone: steps.length === 1 }, from, onDisconnect)) {
      if (patience.aborted) return;
      if (item.kind === 'event') await queue.follow(id, parseCursor(item.id) ?? from, item.event, item.data);
    }
  }
}
