import { createParser } from 'eventsource-parser';
import { exchange } from '../api/call-api.js';
import { RefusedRequest } from '../api/problems.js';
import { backoffMs } from './backoff.js';

/** An event of the feed. `data` is what the API sent, of the shape that belongs to the name. */
export interface FeedEvent {
  event: string;
  data: unknown;
  /** The position after it. */
  id: string;
}

export interface StreamListener {
  onEvent: (event: FeedEvent) => void;
  /** The stream is open, or was lost. */
  onConnection: (isOpen: boolean) => void;
}

/** Longer than the heartbeat of the API (10 s). A connection that is silent for so long is dead. */
const SILENCE_MS = 15_000;

/**
 * The stream of everything, read by one tab for the whole browser. It connects again by itself, and resumes where it was.
 */
export class FeedStream {
  private readonly ended = new AbortController();
  private current = new AbortController();
  private follow = '';
  private failures = 0;
  private wake: (() => void) | undefined;

  /** @param lastId the position behind which the stream begins; '' for now */
  constructor(
    private lastId: string,
    private readonly listener: StreamListener,
  ) {
    addEventListener('online', this.retryNow);
    void this.run();
  }

  /** Follows these invocations, too. Another choice opens the stream again. */
  setFollowed(ids: readonly string[]): void {
    const follow = ids.join(',');
    if (follow === this.follow) return;
    this.follow = follow;
    this.current.abort();
  }

  close(): void {
    removeEventListener('online', this.retryNow);
    this.ended.abort();
    this.current.abort();
    this.wake?.();
  }

  private readonly retryNow = (): void => this.wake?.();

  private async run(): Promise<void> {
    while (!this.ended.signal.aborted) {
      this.current = new AbortController();
      const { signal } = this.current;
      try {
        await this.read(signal);
      } catch (error) {
        if (error instanceof RefusedRequest && (error.status === 401 || error.status === 403)) return;
      }
      if (this.ended.signal.aborted) return;
      // A change of what is followed is no loss of the connection.
      if (signal.aborted) continue;
      this.listener.onConnection(false);
      await this.pause(backoffMs(this.failures++));
    }
  }

  private async read(signal: AbortSignal): Promise<void> {
    const { response } = await exchange('GET', '/v1/events', {
      query: { follow: this.follow },
      headers: { accept: 'text/event-stream', ...(this.lastId !== '' && { 'last-event-id': this.lastId }) },
      signal,
    });
    if (!response.body) throw new Error('The stream has no body');
    this.failures = 0;
    this.listener.onConnection(true);
    const parser = createParser({ onEvent: ({ id, event = 'message', data }) => this.tell(id, event, data) });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await withinSilence(reader);
      if (done) return;
      parser.feed(value);
    }
  }

  private tell(id: string | undefined, event: string, text: string): void {
    if (id !== undefined) this.lastId = id;
    let data: unknown;
    try {
      data = JSON.parse(text);
    } catch {
      return;
    }
    this.listener.onEvent({ event, data, id: this.lastId });
  }

  private async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = undefined;
  }
}

/** The next piece of a stream. @throws Error after a silence; the stream is then cancelled */
async function withinSilence(reader: ReadableStreamDefaultReader<string>) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      void reader.cancel().catch(() => undefined);
      reject(new Error('The stream is silent'));
    }, SILENCE_MS);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } finally {
    clearTimeout(timer);
  }
}
