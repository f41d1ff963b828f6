import type { Json, ToolError } from '@errand/contracts';
import type { Place, Stream } from './stream.js';

/** What a reader needs of the node that it reads for. */
export interface ReadingNode {
  /** Waits without holding a permit. */
  waitWithoutPermit<T>(wait: Promise<T>): Promise<T>;
  /** Whether the slot takes the failure of a producer; the stream then ends with it. */
  acceptsFailure(slot: string, failure: ToolError): boolean;
}

/** Reads the streams of one attempt of a node. */
export class StreamReader {
  private waits = 0;
  private readonly places: { stream: Stream; place: Place }[] = [];

  constructor(private readonly node: ReadingNode) {}

  /** Whether it waits for a chunk. */
  get isWaiting(): boolean {
    return this.waits > 0;
  }

  /** The chunks that come to one slot: of several streams one after the other. It can be read once. */
  open(slot: string, streams: readonly Stream[]): AsyncIterable<Json> {
    const opened = streams.map((stream) => ({ stream, place: { position: 0, reader: this } }));
    for (const { stream, place } of opened) stream.attach(place);
    this.places.push(...opened);
    return this.read(slot, opened);
  }

  close(): void {
    for (const { stream, place } of this.places) stream.detach(place);
  }

  private async *read(slot: string, opened: readonly { stream: Stream; place: Place }[]): AsyncGenerator<Json, void> {
    try {
      for (const { stream, place } of opened) yield* this.chunksOf(slot, stream, place);
    } finally {
      for (const { stream, place } of opened) stream.detach(place);
    }
  }

  private async *chunksOf(slot: string, stream: Stream, place: Place): AsyncGenerator<Json, void> {
    for (;;) {
      const taken = stream.take(place);
      if ('chunk' in taken) yield taken.chunk;
      else if ('next' in taken) await this.waitFor(taken.next);
      else if (taken.failure && !this.node.acceptsFailure(slot, taken.failure)) throw taken.failure;
      else return;
    }
  }

  /** The producers that it held back may go on meanwhile: what it waits for may come from one that waits for them. */
  private async waitFor(next: Promise<void>): Promise<void> {
    this.waits++;
    for (const { stream } of this.places) stream.look();
    try {
      await this.node.waitWithoutPermit(next);
    } finally {
      this.waits--;
    }
  }
}
