import { readEvents } from '../../apps/errand/src/client/read-events.js';
import { eventually } from './eventually.js';
import type { SentEvent } from './client.js';

/** A stream of `GET /v1/events`, with everything that it has sent. Close it in a `finally`. */
export class FeedClient {
  readonly events: SentEvent[] = [];
  hasEnded = false;
  private readonly aborting = new AbortController();

  /** Resolves when the server has answered. @throws Error for an answer other than a stream */
  static async open(url: string, query = '', headers: Record<string, string> = {}): Promise<FeedClient> {
    const feed = new FeedClient();
    const { signal } = feed.aborting;
    const response = await fetch(`${url}/v1/events${query}`, { headers, signal });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    void feed.read(response).catch(() => {});
    return feed;
  }

  get lastId(): string {
    return this.events.at(-1)?.id ?? '';
  }

  /** The data of all events of this name. */
  dataOf(event: string): Record<string, unknown>[] {
    return this.events.flatMap((each) => (each.event === event ? [each.data] : []));
  }

  /** Resolves with the first event that fits. */
  until(isWanted: (event: SentEvent) => boolean): Promise<SentEvent> {
    return eventually(() => this.events.find(isWanted), `an event of the feed for ${String(isWanted)}`);
  }

  /** Resolves when the feed has this status of an invocation. */
  untilStatus(id: string, status: string): Promise<SentEvent> {
    return this.until(({ event, data }) => event === 'invocation' && data['id'] === id && data['status'] === status);
  }

  close(): void {
    this.aborting.abort();
  }

  private async read({ body }: Response): Promise<void> {
    try {
      if (!body) return;
      for await (const { id, event, data } of readEvents(body))
        this.events.push({ id, event, data: JSON.parse(data) as Record<string, unknown> });
    } finally {
      this.hasEnded = true;
    }
  }
}
