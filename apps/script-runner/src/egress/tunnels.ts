import { Tunnel } from './tunnel.js';
import { encodeFrame, TUNNELS_OVER, type TunnelFrame } from './tunnel-frames.js';

/** Connections that a script may have open at once; the supervisor refuses further ones, and the runner those of a liar. */
export const MAX_OPEN = 32;

/**
 * The connections that one script opens, out of the stream that its container is attached by. The container has no network: this
 * stream is the only way out, so whose a connection is need not be proven.
 */
export class Tunnels {
  private readonly open = new Map<number, Tunnel>();
  private last = 0;
  private closed = false;

  /**
   * @param send writes to the supervisor
   * @param accept takes each new connection
   */
  constructor(
    private readonly send: (frame: Buffer) => void,
    private readonly accept: (tunnel: Tunnel) => void,
  ) {}

  /** One frame from the supervisor. Frames of a tunnel that is over are late, not wrong. */
  receive(frame: TunnelFrame, bytes: Buffer): void {
    if (this.closed) return;
    if ('open' in frame) return this.begin(frame.tunnel);
    const tunnel = this.open.get(frame.tunnel);
    if (!tunnel) return;
    if ('bytes' in frame) tunnel.receive(bytes);
    else if ('taken' in frame) tunnel.receiveTaken(frame.taken);
    else if ('end' in frame) tunnel.receiveEnd();
    else tunnel.receiveClose();
  }

  /** Ends all connections and says so; nothing is sent any more. */
  close(): void {
    this.tell(TUNNELS_OVER);
    this.closed = true;
    for (const tunnel of this.open.values()) tunnel.destroy();
  }

  private begin(id: number): void {
    if (id <= this.last || this.open.size >= MAX_OPEN) return this.tell(encodeFrame({ tunnel: id, close: true }));
    this.last = id;
    const tunnel = new Tunnel({
      data: (bytes) => this.tell(encodeFrame({ tunnel: id, bytes: bytes.length }, bytes)),
      taken: (count) => this.tell(encodeFrame({ tunnel: id, taken: count })),
      end: () => this.tell(encodeFrame({ tunnel: id, end: true })),
      close: () => {
        this.open.delete(id);
        this.tell(encodeFrame({ tunnel: id, close: true }));
      },
    });
    this.open.set(id, tunnel);
    this.accept(tunnel);
  }

  private tell(frame: Buffer): void {
    if (!this.closed) this.send(frame);
  }
}

/** Where the supervisor listens for a script's connections (`tunnels.py` and `tunnels.ts` in `runtimes`), on the loopback of its sandbox. */
const PROXY = 'http://127.0.0.1:3128';
const SELF = 'localhost,127.0.0.1,::1';

/** What tells HTTP clients of the one way out: libraries look for these names in either spelling. */
export const PROXY_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, ALL_PROXY: PROXY, NO_PROXY: SELF }).flatMap(
    ([name, value]) => [
      [name, value],
      [name.toLowerCase(), value],
    ],
  ),
);
