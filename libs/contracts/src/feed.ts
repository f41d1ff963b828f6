import type { InvocationRow } from './invocation-row.js';
import type { PartialAnswer } from './partial.js';
import type { ShownProcess, ShownQueue } from './shared-work.js';
import type { Status } from './status.js';

/** The topics of GET /v1/events. */
export const FEED_TOPICS = ['invocations', 'queues', 'processes', 'inbox', 'refusals', 'library'] as const;
export type FeedTopic = (typeof FEED_TOPICS)[number];

/** The data of each event of GET /v1/events by its name. */
export interface FeedData {
  invocation: InvocationRow;
  /** An event of an invocation of `follow=`, as in its own stream. */
  followed: { invocationId: string; event: string; data: unknown };
  queue: ShownQueue;
  process: ShownProcess;
  inbox: { kind: 'answer' | 'approval' | 'budget'; id: string; invocationId: string; state: 'open' | 'closed' };
  refusal: { id: string; code: string; toolIds: readonly string[]; agent: string | null; session: string | null };
  /** The first problems of the files of the library, as in GET /v1/tools/problems. */
  library: { problems: readonly { file: string; message: string }[] };
  /** Changes that the feed has left out. */
  dropped: { count: number };
  /** The position of the client is not known any more: it must read again what it shows. */
  reset: { reason: string };
}
export type FeedEventName = keyof FeedData;

/** GET /v1/invocations/counts */
export interface InvocationCounts extends PartialAnswer {
  counts: Record<Status, number>;
  /** The numbers are lower bounds: only a part of the invocations was looked at, or a shard is away. */
  approximate: boolean;
  /** ISO 8601 */
  at: string;
}
