import { FeedLog, NotificationHub, Queues } from '@errand/queue';
import type { Provider } from '@nestjs/common';
import { FeedSources } from './feed-source.js';
import { ServerFeedSources } from './feed-sources.js';
import { Feeds } from './feeds.js';

/** The stream of everything that changes, and the log by which other parts publish to it. */
export const FEED_PROVIDERS: Provider[] = [
  {
    provide: FeedLog,
    inject: [Queues, NotificationHub],
    useFactory: (queues: Queues, notifications: NotificationHub) => new FeedLog(queues, notifications),
  },
  { provide: FeedSources, useClass: ServerFeedSources },
  Feeds,
];
