import { eventually } from '../../../test/support/eventually.js';
import { freePort, startRedis, type TestRedis } from '../../../test/support/start-redis.js';
import { InvocationQueue, Queues } from '../src/redis/connect.js';
import { openConnection, type ConnectionKind } from '../src/redis/primary-redis.js';
import type { QueueName } from '../src/redis/queue-names.js';
import type { Place, ShardLayout } from '../src/shards/shard-layout.js';
import { keyspaceOf, ShardSet } from '../src/shards/shard-set.js';

/** The shards of an installation, of which shard 2 has a Redis of its own that is away until `bringBack`. */
export class PartlyAway {
  private own: TestRedis | undefined;

  private constructor(
    readonly shards: ShardSet,
    private readonly port: number,
  ) {}

  static async open(url: string, kind: ConnectionKind, root: Queues, layout: ShardLayout): Promise<PartlyAway> {
    const port = await freePort();
    const open = (place: Place) => {
      const redis = openConnection(place === 2 ? `redis://127.0.0.1:${port}` : url, kind, keyspaceOf(place));
      const queue = (name: QueueName) => new InvocationQueue(name, { connection: redis, prefix: redis.keyspace });
      const byName = { invocations: queue('invocations'), scripts: queue('scripts') };
      return new Queues(redis, byName, root.retention, root.bounds, root.sessions, { place });
    };
    return new PartlyAway(new ShardSet(root, layout, open), port);
  }

  /** The shards that are there. */
  get present(): Queues[] {
    return [0, 1, 3].map((place) => this.shards.at(place));
  }

  get away(): Queues {
    return this.shards.at(2);
  }

  /** Resolves when a script has failed because the shard is away. Its connection must be of the kind `commands`. */
  async untilRefused(): Promise<void> {
    const { redis } = this.away;
    const send = redis.sendCommand.bind(redis);
    let isRefused = false;
    redis.sendCommand = (command, stream) => {
      if (command.name === 'evalsha') command.promise.catch(() => (isRefused = true));
      return send(command, stream);
    };
    await eventually(() => isRefused, 'a script of the shard that is away fails');
  }

  async bringBack(): Promise<void> {
    this.own = await startRedis(this.port);
  }

  async close(): Promise<void> {
    await this.shards.close();
    await this.own?.stop();
  }
}
