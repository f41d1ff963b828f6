import type { Json, ToolError } from '@errand/contracts';

/** The largest number of chunks that a producer may be ahead of its slowest reader. */
const AHEAD = 16;

/** The position of one reader in a stream. */
export interface ReadCursor {
  position: number;
  /** A reader that waits for a chunk, of any stream, does not hold the producer back. */
  readonly reader: { readonly isWaiting: boolean };
}

/**
 * The chunks of one output in order. The stream keeps all chunks, because the whole value is needed at the end. A late
 * reader therefore misses nothing. Back-pressure is a promise that the producer awaits.
 */
export class Stream {
  private readonly chunks: Json[] = [];
  private ended: { failure: ToolError | undefined } | undefined;
  private readonly cursors = new Set<ReadCursor>();
  private readonly waiters = new Set<() => void>();
  private readonly listeners: ((chunk: Json) => void)[] = [];
  private resolveRoom: (() => void) | undefined;

  /** Returns a stream of one chunk. */
  static of(value: Json): Stream {
    const stream = new Stream();
    stream.push(value);
    stream.end();
    return stream;
  }

  get isEmpty(): boolean {
    return this.chunks.length === 0;
  }

  push(chunk: Json): void {
    this.chunks.push(chunk);
    for (const listener of this.listeners) listener(chunk);
    this.wakeWaiters();
  }

  /** Ends the stream. `failure` is the failure of the producer. */
  end(failure?: ToolError): void {
    if (this.ended) return;
    this.ended = { failure };
    this.wakeWaiters();
  }

  /** Resolves when the producer may continue. Returns undefined if it may continue at once. */
  room(): Promise<void> | undefined {
    return this.hasRoom() ? undefined : new Promise((resolve) => (this.resolveRoom = resolve));
  }

  /** All chunks as one value: one string if all chunks are strings, else a list. */
  whole(): Json {
    return this.chunks.length > 0 && this.chunks.every((chunk) => typeof chunk === 'string')
      ? this.chunks.join('')
      : [...this.chunks];
  }

  /** From now on, the reader at this cursor can hold the producer back. */
  attach(cursor: ReadCursor): void {
    this.cursors.add(cursor);
  }

  detach(cursor: ReadCursor): void {
    this.cursors.delete(cursor);
    this.checkRoom();
  }

  /** Returns the next chunk, the end of the stream, or a promise for the next change. */
  take(cursor: ReadCursor): { chunk: Json } | { failure: ToolError | undefined } | { next: Promise<void> } {
    const chunk = this.chunks[cursor.position];
    if (chunk !== undefined) {
      cursor.position++;
      this.checkRoom();
      return { chunk };
    }
    if (this.ended) return { failure: this.ended.failure };
    return { next: new Promise((resolve) => this.waiters.add(resolve)) };
  }

  /** Resumes the producer if there is room: after a reader has read, has detached, or waits for another stream. */
  checkRoom(): void {
    if (!this.resolveRoom || !this.hasRoom()) return;
    this.resolveRoom();
    this.resolveRoom = undefined;
  }

  /** Calls back with each chunk, from the first one on. A listener never holds the producer back. */
  listen(listener: (chunk: Json) => void): void {
    for (const chunk of this.chunks) listener(chunk);
    this.listeners.push(listener);
  }

  /**
   * A reader that waits for a chunk of another stream does not count. That chunk may come from a node that waits for this
   * producer.
   */
  private hasRoom(): boolean {
    for (const { reader, position } of this.cursors) {
      if (!reader.isWaiting && this.chunks.length - position >= AHEAD) return false;
    }
    return true;
  }

  private wakeWaiters(): void {
    const waiters = [...this.waiters];
    this.waiters.clear();
    for (const wake of waiters) wake();
  }
}
