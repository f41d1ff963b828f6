import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { inPatience } from './eventually.js';

/** A step between a consumer and Redis: the call that takes jobs, or that ends one, before Redis gets it or after Redis has executed it. */
export interface Step {
  call: 'take' | 'end';
  side: 'before' | 'after';
}

/** The call of a consumer names its last take. Only a call that ends jobs names jobs, and only a reply that gives jobs. */
const isCall = (chunk: Buffer) => chunk.includes(':last-take:') && chunk.includes('{errand}:invocations:active');
const namesJob = (chunk: Buffer) => chunk.includes('inv_');

/** A proxy in front of Redis that holds one connection at a step: from there on, no byte passes on it until `release`. */
export class HeldRedis {
  private readonly held: Promise<void>;
  private onHeld = () => {};
  private isHeld = false;
  private isReleased = false;
  private readonly late: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    private readonly step: Step,
  ) {
    this.held = new Promise((resolve) => (this.onHeld = resolve));
  }

  static async start(redisUrl: string, step: Step): Promise<HeldRedis> {
    const server = createServer();
    const proxy = new HeldRedis(server, step);
    const { hostname, port } = new URL(redisUrl);
    server.on('connection', (client) => proxy.connect(client, connect(Number(port), hostname)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves when the consumer has reached the step. */
  untilHeld(): Promise<void> {
    return inPatience(this.held, () => `the consumer is held ${this.step.side} ${this.step.call}`);
  }

  /** Everything that was held arrives now. */
  release(): void {
    this.isReleased = true;
    for (const pass of this.late.splice(0)) pass();
  }

  close(): void {
    this.server.close();
  }

  private connect(client: Socket, redis: Socket): void {
    const { call, side } = this.step;
    let [isConsumer, hasEnded, holds] = [false, false, false];
    const hold = () => {
      if (this.isHeld) return;
      this.isHeld = holds = true;
      this.onHeld();
    };
    const pass = (to: Socket, chunk: Buffer) => {
      if (holds && !this.isReleased) this.late.push(() => void to.write(chunk));
      else to.write(chunk);
    };
    client.on('data', (chunk: Buffer) => {
      if (side === 'before' && isCall(chunk) && (call === 'take' || namesJob(chunk))) hold();
      isConsumer ||= isCall(chunk);
      hasEnded ||= isCall(chunk) && namesJob(chunk);
      pass(redis, chunk);
    });
    redis.on('data', (chunk: Buffer) => {
      if (side === 'after' && (call === 'end' ? hasEnded : isConsumer && namesJob(chunk))) hold();
      pass(client, chunk);
    });
    client.on('error', () => {}).on('close', () => redis.destroy());
    redis.on('error', () => {}).on('close', () => client.destroy());
  }
}
