import type { Duplex } from 'node:stream';

/** The container ended, or the engine did, or the supervisor spoke out of turn, before what was awaited had come. */
export class ChannelClosed extends Error {
  override readonly name = 'SandboxLost';
}

export interface ChannelListener {
  /** What it throws is the end of the dialogue. */
  hear(source: ContainerStream, bytes: Buffer): void;
  fail(error: Error): void;
}

/**
 * The runner's end of the stream to a supervisor: one listener at a time. While there is none the supervisor has nothing to
 * say; a word on stdout then, like the stream's end, closes the dialogue.
 */
export class SupervisorChannel {
  /** Resolves when nothing more will be heard. */
  readonly closed: Promise<void>;
  private listener: ChannelListener | undefined;
  private fault: Error | undefined;
  private tellClosed!: () => void;

  constructor(private readonly stream: Duplex) {
    this.closed = new Promise((resolve) => (this.tellClosed = resolve));
    const demultiplex = demultiplexer((source, bytes) => this.hear(source, bytes));
    stream.on('data', (data: Buffer) => {
      try {
        demultiplex(data);
      } catch (error) {
        this.close(error instanceof Error ? error : new Error(String(error)));
      }
    });
    for (const event of ['end', 'close']) stream.on(event, () => this.close(new ChannelClosed('the stream ended')));
    // A broken pipe only says that the container has ended, which its own end tells better.
    stream.on('error', () => {});
  }

  get isOpen(): boolean {
    return this.fault === undefined;
  }

  /** From now on `listener` hears everything; it is told at once where nothing can come any more. */
  listen(listener: ChannelListener): void {
    this.listener = listener;
    if (this.fault) listener.fail(this.fault);
  }

  stopListening(): void {
    this.listener = undefined;
  }

  say(bytes: Buffer): void {
    this.stream.write(bytes);
  }

  /** How many bytes the other side has not yet let in. */
  get unsent(): number {
    return this.stream.writableLength;
  }

  /** Ends the stream, and so closes the lifeline. */
  close(fault: Error = new ChannelClosed('it was let go')): void {
    if (this.fault) return;
    this.fault = fault;
    this.stream.destroy();
    this.listener?.fail(fault);
    this.tellClosed();
  }

  private hear(source: ContainerStream, bytes: Buffer): void {
    if (this.fault) return;
    if (this.listener) this.listener.hear(source, bytes);
    else if (source === 'stdout') throw new ChannelClosed('the supervisor spoke unasked');
  }
}

const HEADER = 8;

export type ContainerStream = 'stdout' | 'stderr';

/**
 * Undoes the engine's multiplexing of an attached container: chunks of `[stream, 0, 0, 0, length (32 bits, big-endian)]` and
 * `length` bytes. Passes pieces on as they come and holds no more than an unfinished header.
 */
export function demultiplexer(onChunk: (stream: ContainerStream, bytes: Buffer) => void): (data: Buffer) => void {
  let header = Buffer.alloc(0);
  let left = 0;
  return (data) => {
    while (data.length > 0) {
      if (left === 0) {
        const missing = HEADER - header.length;
        header = Buffer.concat([header, data.subarray(0, missing)]);
        data = data.subarray(missing);
        if (header.length < HEADER) return;
        left = header.readUInt32BE(4);
      }
      const piece = data.subarray(0, left);
      data = data.subarray(left);
      left -= piece.length;
      if (piece.length > 0) onChunk(header[0] === 2 ? 'stderr' : 'stdout', piece);
      if (left === 0) header = Buffer.alloc(0);
    }
  };
}
