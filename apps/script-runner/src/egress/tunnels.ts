import { Tunnel } from './tunnel.js';
import { encodeFrame, TUNNELS_OVER, type TunnelFrame } from './tunnel-frames.js';

/** Maximum of open connections of a script. The supervisor refuses further ones, and so does the runner. */
export const MAX_OPEN = 32;

/**
 * The connections of one script, on the stream of its attached container. The container has no network. This stream is the
 * only way out, so each connection belongs to the run of the container.
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

  /** Receives one frame from the supervisor. A late frame of a closed tunnel is ignored. */
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

  /** Sends the last frame and ends all connections. */
  close(): void {
    this.sendFrame(TUNNELS_OVER);
    this.closed = true;
    for (const tunnel of this.open.values()) tunnel.destroy();
  }

  private begin(id: number): void {
    if (id <= this.last || this.open.size >= MAX_OPEN) return this.sendFrame(encodeFrame({ tunnel: id, close: true }));
    this.last = id;
    const tunnel = new Tunnel({
      data: (bytes) => this.sendFrame(encodeFrame({ tunnel: id, bytes: bytes.length }, bytes)),
      taken: (count) => this.sendFrame(encodeFrame({ tunnel: id, taken: count })),
      end: () => this.sendFrame(encodeFrame({ tunnel: id, end: true })),
      close: () => {
        this.open.delete(id);
        this.sendFrame(encodeFrame({ tunnel: id, close: true }));
      },
    });
    this.open.set(id, tunnel);
    this.accept(tunnel);
  }

  private sendFrame(frame: Buffer): void {
    if (!this.closed) this.send(frame);
  }
}

/** The supervisor accepts the connections of a script here, on the loopback interface of its sandbox (`runtimes/`). */
const PROXY = 'http://127.0.0.1:3128';
const SELF = 'localhost,127.0.0.1,::1';

/** Variables that configure the proxy for HTTP clients. Some libraries read the lower case names. */
export const PROXY_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, ALL_PROXY: PROXY, NO_PROXY: SELF }).flatMap(
    ([name, value]) => [
      [name, value],
      [name.toLowerCase(), value],
    ],
  ),
);
