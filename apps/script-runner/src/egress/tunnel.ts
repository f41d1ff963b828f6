import { Duplex } from 'node:stream';

/** Maximum bytes that one side may send before the other has acknowledged them. */
export const WINDOW = 64 * 1024;

/** Sends frames to the supervisor's end of a tunnel. */
interface FarEnd {
  data(bytes: Buffer): void;
  taken(count: number): void;
  end(): void;
  close(): void;
}

/**
 * The runner's end of one connection that a script opened inside its sandbox, as a stream. All tunnels of a run share one
 * stream with the response. Flow control keeps a tunnel from filling it: each side sends at most one window beyond the
 * bytes that the other has acknowledged.
 *
 * An HTTP server gets it in place of a socket. It emits `passed` with the number of bytes, in both directions.
 */
export class Tunnel extends Duplex {
  /** A server treats a connection without an address as closed. */
  readonly remoteAddress = 'sandbox';
  bytesRead = 0;
  bytesWritten = 0;
  private credit = WINDOW;
  private unacknowledged = 0;
  private ended = false;
  private gone = false;
  private held: { rest: Buffer; done: () => void } | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly far: FarEnd) {
    super({ allowHalfOpen: true });
  }

  /** Receives bytes of the script. */
  receive(bytes: Buffer): void {
    if (this.destroyed || this.ended) return;
    this.unacknowledged += bytes.length;
    this.bytesRead += bytes.length;
    this.emit('passed', bytes.length);
    if (this.unacknowledged > WINDOW) this.destroy();
    if (!this.destroyed) this.push(bytes);
  }

  /** The script sends no more bytes. */
  receiveEnd(): void {
    if (!this.destroyed && !this.ended) this.push(null);
    this.ended = true;
  }

  /** The script's end is closed. Bytes that it sent before are still delivered. */
  receiveClose(): void {
    this.gone = true;
    if (this.readableEnded) this.destroy();
    else this.once('end', () => this.destroy()).receiveEnd();
    this.send();
  }

  /** The script's end has acknowledged bytes, so that as many more may be sent. */
  receiveTaken(count: number): void {
    this.credit += count;
    this.send();
  }

  /** Like `setTimeout` of a socket: calls `onTimeout` once, after an idle time. */
  setTimeout(ms: number, onTimeout?: () => void): this {
    clearTimeout(this.timer);
    if (ms > 0 && onTimeout) this.timer = setTimeout(onTimeout, ms).unref();
    return this;
  }

  override _read(): void {
    const taken = this.unacknowledged;
    this.unacknowledged = 0;
    if (taken > 0) this.far.taken(taken);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.bytesWritten += chunk.length;
    this.emit('passed', chunk.length);
    this.held = { rest: chunk, done };
    this.send();
  }

  override _final(done: () => void): void {
    this.far.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.timer);
    this.held = undefined;
    this.far.close();
    done(error);
  }

  private send(): void {
    if (!this.held) return;
    const { rest, done } = this.held;
    const now = rest.subarray(0, this.gone ? 0 : this.credit);
    const isAll = now.length === rest.length || this.gone;
    this.credit -= now.length;
    this.held = isAll ? undefined : { rest: rest.subarray(now.length), done };
    if (now.length > 0) this.far.data(now);
    if (isAll) done();
  }
}
