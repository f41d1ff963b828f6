import type { Json, ToolError } from '@errand/contracts';
import type { ReadCursor, Stream } from './stream.js';

/** The operations that a reader needs of its node. */
interface ReadingNode {
  /** Waits without holding a permit. */
  waitWithoutPermit<T>(wait: Promise<T>): Promise<T>;
  /** Whether the slot takes the failure of a producer. The failure then ends the stream. */
  acceptsFailure(slot: string, failure: ToolError): boolean;
}

interface OpenStream {
  stream: Stream;
  cursor: ReadCursor;
}

/** Reads the streams of one attempt of a node. */
export class StreamReader {
  private waits = 0;
  private readonly open: OpenStream[] = [];

  constructor(private readonly node: ReadingNode) {}

  /** Whether it waits for a chunk. */
  get isWaiting(): boolean {
    return this.waits > 0;
  }

  /** Returns the chunks of one slot. Several streams are read one after the other. The result can be iterated once. */
  openSlot(slot: string, streams: readonly Stream[]): AsyncIterable<Json> {
    const opened = streams.map((stream) => ({ stream, cursor: { position: 0, reader: this } }));
    for (const { stream, cursor } of opened) stream.attach(cursor);
    this.open.push(...opened);
    return this.read(slot, opened);
  }

  close(): void {
    for (const { stream, cursor } of this.open) stream.detach(cursor);
  }

  private async *read(slot: string, opened: readonly OpenStream[]): AsyncGenerator<Json, void> {
    try {
      for (const one of opened) yield* this.chunksOf(slot, one);
    } finally {
      for (const { stream, cursor } of opened) stream.detach(cursor);
    }
  }

  private async *chunksOf(slot: string, { stream, cursor }: OpenStream): AsyncGenerator<Json, void> {
    for (;;) {
      const taken = stream.take(cursor);
      if ('chunk' in taken) yield taken.chunk;
      else if ('next' in taken) await this.waitFor(taken.next);
      else if (taken.failure && !this.node.acceptsFailure(slot, taken.failure)) throw taken.failure;
      else return;
    }
  }

  /** Lets the producers continue that this reader held back. The awaited chunk may depend on one of them. */
  private async waitFor(next: Promise<void>): Promise<void> {
    this.waits++;
    for (const { stream } of this.open) stream.checkRoom();
    try {
      await this.node.waitWithoutPermit(next);
    } finally {
      this.waits--;
    }
  }
}
