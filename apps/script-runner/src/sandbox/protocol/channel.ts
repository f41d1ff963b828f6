import type { Duplex } from 'node:stream';

/** The container or Docker ended, or the supervisor wrote at a wrong time, before the awaited data had come. */
export class ChannelClosed extends Error {
  override readonly name = 'ChannelClosed';
}

interface ChannelListener {
  /** An error that it throws closes the channel. */
  onData(source: ContainerStream, bytes: Buffer): void;
  onClosed(error: Error): void;
}

/**
 * The runner's end of the stream to a supervisor. It has one listener at a time. Without a listener the supervisor must
 * not write to stdout: such data, like the end of the stream, closes the channel.
 */
export class SupervisorChannel {
  /** Resolves when no more data will come. */
  readonly closed: Promise<void>;
  private listener: ChannelListener | undefined;
  private fault: Error | undefined;
  private resolveClosed: () => void = () => {};

  constructor(private readonly stream: Duplex) {
    this.closed = new Promise((resolve) => (this.resolveClosed = resolve));
    const demultiplex = demultiplexer((source, bytes) => this.receive(source, bytes));
    stream.on('data', (data: Buffer) => {
      try {
        demultiplex(data);
      } catch (error) {
        this.close(error instanceof Error ? error : new Error(String(error)));
      }
    });
    for (const event of ['end', 'close']) stream.on(event, () => this.close(new ChannelClosed('the stream ended')));
    // A broken pipe only means that the container has ended. The exit of the container explains more.
    stream.on('error', () => {});
  }

  get isOpen(): boolean {
    return this.fault === undefined;
  }

  /** From now on `listener` receives everything. If the channel is closed, `onClosed` is called at once. */
  listen(listener: ChannelListener): void {
    this.listener = listener;
    if (this.fault) listener.onClosed(this.fault);
  }

  stopListening(): void {
    this.listener = undefined;
  }

  send(bytes: Buffer): void {
    this.stream.write(bytes);
  }

  /** Bytes that the other side has not accepted yet. */
  get unsent(): number {
    return this.stream.writableLength;
  }

  /** Ends the stream. The supervisor exits when its stdin closes. */
  close(fault: Error = new ChannelClosed('the runner closed the channel')): void {
    if (this.fault) return;
    this.fault = fault;
    this.stream.destroy();
    this.listener?.onClosed(fault);
    this.resolveClosed();
  }

  private receive(source: ContainerStream, bytes: Buffer): void {
    if (this.fault) return;
    if (this.listener) this.listener.onData(source, bytes);
    else if (source === 'stdout') throw new ChannelClosed('the supervisor wrote without a request');
  }
}

const HEADER = 8;

type ContainerStream = 'stdout' | 'stderr';

/**
 * Splits the stream of an attached container, in which Docker multiplexes stdout and stderr. The format is chunks of
 * `[stream, 0, 0, 0, length (32 bits, big-endian)]` with `length` bytes. It passes pieces on at once and holds at most
 * an unfinished header.
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
