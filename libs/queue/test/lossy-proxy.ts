import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';

/**
 * A proxy in front of Redis that can lose a response: it passes the next command on, waits until Redis has responded, and closes the
 * connection without passing the response back.
 */
export class LossyProxy {
  private loses = false;
  private lost?: () => void;

  private constructor(private readonly server: Server) {}

  static async start(redisUrl: string): Promise<LossyProxy> {
    const server = createServer();
    const proxy = new LossyProxy(server);
    const { hostname, port } = new URL(redisUrl);
    server.on('connection', (client) => {
      const redis = connect(Number(port), hostname);
      client.on('data', (chunk) => redis.write(chunk)).on('close', () => redis.destroy());
      client.on('error', () => redis.destroy());
      redis.on('error', () => client.destroy()).on('close', () => client.destroy());
      redis.on('data', (chunk) => (proxy.takesResponse() ? client.destroy() : client.write(chunk)));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The next response is lost. Resolves when it was. */
  loseNext(): Promise<void> {
    this.loses = true;
    return new Promise((resolve) => (this.lost = resolve));
  }

  close(): void {
    this.server.close();
  }

  private takesResponse(): boolean {
    if (!this.loses) return false;
    this.loses = false;
    this.lost?.();
    return true;
  }
}
