import type { Patience } from '../stream/patience.js';
import type { FeedQueue } from './feed-queue.js';

const HEARTBEAT_MS = 10_000;
const HEARTBEAT = ': still here\n\n';

/**
 * The text of a stream: events as they come, and a comment each `heartbeatMs`. Events do not replace the comment, because a busy stream has them
 * at any time. Calls `end` when the stream has ended.
 *
 * @throws Error if the listener is too slow, or a replay has failed
 */
export async function* feedTexts(
  queue: FeedQueue,
  patience: Patience,
  end: () => void,
  heartbeatMs = HEARTBEAT_MS,
): AsyncGenerator<string> {
  try {
    let beatAt = performance.now() + heartbeatMs;
    while (!patience.aborted) {
      const text = await queue.next(Math.max(0, beatAt - performance.now()));
      if (queue.isBroken) throw new Error('The listener is too slow, or Redis does not answer');
      const isDue = performance.now() >= beatAt;
      if (isDue) beatAt = performance.now() + heartbeatMs;
      const sent = isDue ? text + HEARTBEAT : text;
      if (!patience.aborted && sent !== '') yield sent;
    }
  } finally {
    end();
  }
}
