import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';

/** A proxy in front of Redis whose open connections can fall silent: they stay open, and no byte passes any more. */
export class SilentProxy {
  /** The number of connections so far. */
  connections = 0;
  private generation = 0;

  private constructor(private readonly server: Server) {}

  static async start(redisUrl: string): Promise<SilentProxy> {
    const server = createServer();
    const proxy = new SilentProxy(server);
    const { hostname, port } = new URL(redisUrl);
    server.on('connection', (client) => {
      proxy.connections++;
      const born = proxy.generation;
      const isSilent = () => born < proxy.generation;
      const redis = connect(Number(port), hostname);
      client.on('data', (chunk) => void (isSilent() || redis.write(chunk)));
      redis.on('data', (chunk) => void (isSilent() || client.write(chunk)));
      client.on('error', () => {}).on('close', () => redis.destroy());
      redis.on('error', () => {}).on('close', () => void (isSilent() || client.destroy()));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The open connections fall silent. New ones work. */
  silence(): void {
    this.generation++;
  }

  close(): void {
    this.server.close();
  }
}
