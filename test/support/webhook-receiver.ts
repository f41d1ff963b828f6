import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Invocation } from '@errand/contracts';
import { inPatience } from './eventually.js';

/** One received request. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The body of a callback. */
export interface Message {
  type: string;
  timestamp: string;
  data: Invocation & { truncated?: true };
}

export type Respond = (request: Received, response: ServerResponse) => void;

/** A real receiver of callbacks: it stores each request and responds with `respond`. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  private readonly waiting = new Set<() => void>();
  private readonly server: Server;

  private constructor(private readonly respond: Respond) {
    this.server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const request = { path: incoming.url!, headers: incoming.headers, body };
        this.received.push(request);
        this.respond(request, response);
        for (const wake of this.waiting) wake();
      });
    });
  }

  static async start(respond: Respond = (_request, response) => response.end()): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(respond);
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Resolves with all requests so far, once there are at least `count`. */
  async until(count: number): Promise<Received[]> {
    while (this.received.length < count) {
      const next = new Promise<void>((resolve) => {
        const wake = () => {
          this.waiting.delete(wake);
          resolve();
        };
        this.waiting.add(wake);
      });
      await inPatience(next, () => `${count} requests, not ${this.received.length}`);
    }
    return this.received;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

export function messageOf({ body }: Received): Message {
  return JSON.parse(body) as Message;
}
