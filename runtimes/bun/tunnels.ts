/**
 * Carries the connections of a sandbox without network, like `runtimes/python/tunnels.py`.
 * `apps/script-runner/src/egress/tunnel-frames.ts` describes the frames.
 */
import { createServer, type Server, type Socket } from 'node:net';

const PORT = 3128;
const MAX_OPEN = 32;
const WINDOW = 65_536;

type Frame = { tunnel: number; over?: true; bytes?: number; taken?: number; open?: true; end?: true; close?: true };

/** All connections of one run. */
export class Tunnels {
  private readonly open = new Map<number, Tunnel>();
  private inbox = Buffer.alloc(0);
  private writing = Promise.resolve<unknown>(undefined);
  private last = 0;
  /** The response comes behind the frames. A process that has reported its end may still have connections (ADR 151). */
  private isFinished = false;
  private tellOver!: () => void;
  /** Resolves at the last frame of the runner. The next run begins behind it. */
  readonly over = new Promise<void>((resolve) => (this.tellOver = resolve));

  private constructor(private readonly listener: Server) {
    listener.on('connection', (socket) => this.accept(socket));
  }

  static async listening(): Promise<Tunnels> {
    const listener = createServer({ allowHalfOpen: true });
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject).listen(PORT, '127.0.0.1', resolve);
    });
    return new Tunnels(listener);
  }

  /** Takes bytes from the runner. Returns false when no more will come. */
  hear(bytes: Buffer): boolean {
    this.inbox = Buffer.concat([this.inbox, bytes]);
    for (;;) {
      const lineEnd = this.inbox.indexOf(10) + 1;
      if (lineEnd === 0) return true;
      const frame: Frame = JSON.parse(String(this.inbox.subarray(0, lineEnd)));
      if (frame.over) {
        if (this.inbox.length > lineEnd) process.exit(1); // an honest runner sends nothing before the supervisor is ready
        this.tellOver();
        return false;
      }
      const end = lineEnd + (frame.bytes ?? 0);
      if (this.inbox.length < end) return true;
      const data = this.inbox.subarray(lineEnd, end);
      this.inbox = this.inbox.subarray(end);
      this.open.get(frame.tunnel)?.hear(frame, data);
    }
  }

  /** Ends all connections. Resolves when all frames are written, so that the response begins on its own line. */
  async finish(): Promise<void> {
    this.isFinished = true;
    this.listener.close();
    for (const { socket } of this.open.values()) socket.destroy();
    this.open.clear();
    await this.writing;
  }

  private accept(socket: Socket): void {
    if (this.isFinished || this.open.size >= MAX_OPEN) return void socket.destroy();
    const number = ++this.last;
    const tunnel = new Tunnel(socket, (frame, data) => this.tell({ tunnel: number, ...frame }, data));
    this.open.set(number, tunnel);
    this.tell({ tunnel: number, open: true });
    socket.once('close', () => {
      if (this.open.delete(number)) this.tell({ tunnel: number, close: true });
    });
  }

  private tell(frame: Frame, data: Uint8Array = new Uint8Array()): void {
    if (this.isFinished) return;
    const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(frame)}\n`), data]);
    this.writing = this.writing.then(() => Bun.write(Bun.stdout, bytes));
  }
}

/** One connection of the script. */
class Tunnel {
  private credit = WINDOW;

  constructor(
    readonly socket: Socket,
    private readonly tell: (frame: Omit<Frame, 'tunnel'>, data?: Uint8Array) => void,
  ) {
    socket.on('readable', () => this.take());
    socket.on('end', () => tell({ end: true }));
    socket.on('error', () => {}); // its close says the same
  }

  hear({ taken = 0, end, close }: Frame, data: Buffer): void {
    this.credit += taken;
    if (data.length > 0) this.socket.write(data, () => this.tell({ taken: data.length }));
    if (end || close) this.socket.end();
    if (close) this.socket.resume();
    else this.take();
  }

  private take(): void {
    for (;;) {
      const count = Math.min(this.credit, this.socket.readableLength);
      // It also reads without data, because only a read shows the end.
      const data: Buffer | null = this.credit > 0 ? this.socket.read(count || undefined) : null;
      if (data === null) return;
      this.credit -= data.length;
      this.tell({ bytes: data.length }, data);
    }
  }
}
