import type { Json, ToolError } from '@errand/contracts';

/** How many chunks a producer may be ahead of the slowest who reads them. */
const AHEAD = 16;

/** Where somebody reads a stream. */
export interface Place {
  position: number;
  /** A reader that waits for a chunk, of whatever stream, holds nobody back. */
  readonly reader: { readonly isWaiting: boolean };
}

/**
 * The chunks of one output, from first to last. All of them are kept, for the whole is wanted in the end; so who comes late misses
 * nothing, and each reader needs no more than a position. Back-pressure is a promise that the producer waits for.
 */
export class Stream {
  private readonly chunks: Json[] = [];
  private ended: { failure: ToolError | undefined } | undefined;
  private readonly places = new Set<Place>();
  private readonly listeners = new Set<() => void>();
  private readonly hearers: ((chunk: Json) => void)[] = [];
  private giveRoom: (() => void) | undefined;

  /** A stream of one chunk. */
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
    for (const hear of this.hearers) hear(chunk);
    this.tell();
  }

  /** No more chunks come, with `failure` because the producer failed. */
  end(failure?: ToolError): void {
    if (this.ended) return;
    this.ended = { failure };
    this.tell();
  }

  /** Undefined where the producer may go on at once. */
  room(): Promise<void> | undefined {
    return this.hasRoom() ? undefined : new Promise((resolve) => (this.giveRoom = resolve));
  }

  /** Its chunks together: one text if all are texts, else their list. */
  whole(): Json {
    return this.chunks.length > 0 && this.chunks.every((chunk) => typeof chunk === 'string')
      ? this.chunks.join('')
      : [...this.chunks];
  }

  /** From here on, who reads at this place holds the producer back. */
  attach(place: Place): void {
    this.places.add(place);
  }

  detach(place: Place): void {
    this.places.delete(place);
    this.look();
  }

  /** The next chunk for a reader, the end, or what to wait for. */
  take(place: Place): { chunk: Json } | { failure: ToolError | undefined } | { next: Promise<void> } {
    if (place.position < this.chunks.length) {
      const chunk = this.chunks[place.position++]!;
      this.look();
      return { chunk };
    }
    if (this.ended) return { failure: this.ended.failure };
    return { next: new Promise((resolve) => this.listeners.add(resolve)) };
  }

  /** Looks whether there is room now: a reader has gone on, gone away, or waits for something else. */
  look(): void {
    if (!this.giveRoom || !this.hasRoom()) return;
    this.giveRoom();
    this.giveRoom = undefined;
  }

  /** Calls back with each chunk, from the first. Who listens holds nobody back. */
  listen(hear: (chunk: Json) => void): void {
    for (const chunk of this.chunks) hear(chunk);
    this.hearers.push(hear);
  }

  /**
   * A reader that itself waits for a chunk of another stream does not count: that one may come from a node which in turn
   * waits for this producer.
   */
  private hasRoom(): boolean {
    for (const { reader, position } of this.places) {
      if (!reader.isWaiting && this.chunks.length - position >= AHEAD) return false;
    }
    return true;
  }

  private tell(): void {
    const heard = [...this.listeners];
    this.listeners.clear();
    for (const listener of heard) listener();
  }
}
