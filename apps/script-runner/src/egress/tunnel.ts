import { Duplex } from 'node:stream';

/** What one side may send of one tunnel before the other has said that it took it. */
export const WINDOW = 64 * 1024;

/** What a tunnel says to the other end: bytes, that it took so many, that no more will come, that it is over in both directions. */
export interface FarEnd {
  data(bytes: Buffer): void;
  taken(count: number): void;
  end(): void;
  close(): void;
}

/**
 * The runner's end of one connection that a script has opened inside its sandbox, as a stream. All tunnels of a run share one
 * stream with its answer, so none may fill it: each side sends no more than a window beyond what the other has taken.
 * It stands in for a socket where an HTTP server wants one, and emits `passed` with a number of bytes, either way.
 */
export class Tunnel extends Duplex {
  /** Servers take a connection without one for a dead one. */
  readonly remoteAddress = 'sandbox';
  bytesRead = 0;
  bytesWritten = 0;
  private credit = WINDOW;
  private untaken = 0;
  private ended = false;
  private gone = false;
  private held: { rest: Buffer; done: () => void } | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly far: FarEnd) {
    super({ allowHalfOpen: true });
  }

  /** Bytes that the script has sent. */
  receive(bytes: Buffer): void {
    if (this.destroyed || this.ended) return;
    this.untaken += bytes.length;
    this.bytesRead += bytes.length;
    this.emit('passed', bytes.length);
    if (this.untaken > WINDOW) this.destroy();
    if (!this.destroyed) this.push(bytes);
  }

  /** The script sends no more. */
  receiveEnd(): void {
    if (!this.destroyed && !this.ended) this.push(null);
    this.ended = true;
  }

  /** The script's end is gone; what it had sent before still goes on its way. */
  receiveClose(): void {
    this.gone = true;
    if (this.readableEnded) this.destroy();
    else this.once('end', () => this.destroy()).receiveEnd();
    this.send();
  }

  /** The script's end has taken so many bytes: as many more may be sent. */
  receiveTaken(count: number): void {
    this.credit += count;
    this.send();
  }

  /** As of a socket: `onTimeout` once, after a while in which nothing was said. */
  setTimeout(ms: number, onTimeout?: () => void): this {
    clearTimeout(this.timer);
    if (ms > 0 && onTimeout) this.timer = setTimeout(onTimeout, ms).unref();
    return this;
  }

  override _read(): void {
    const taken = this.untaken;
    this.untaken = 0;
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
