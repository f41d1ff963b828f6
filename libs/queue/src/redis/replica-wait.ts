import { keysOf } from './names.js';
import type { PrimaryRedis } from './primary-redis.js';

/** How long a round waits for the replicas. */
const WAIT_MS = 1_000;

/** Redis has executed a write, but too few replicas have confirmed it in time. It may be lost with the primary. */
export class LateReplicasError extends Error {
  constructor(
    readonly wanted: number,
    cause: string,
  ) {
    super(`Fewer than ${wanted} replicas of Redis have confirmed the write: ${cause}`);
  }
}

/**
 * Waits until replicas have the writes of this process (ERRAND_REDIS_MIN_REPLICAS). WAIT holds up all commands of its connection, so it has
 * one of its own: a write there comes after all acknowledged writes, and a replica that has it has those, too. All calls that come
 * during a round share the next one.
 */
export class ReplicaWait {
  private connection: PrimaryRedis | undefined;
  private present: Promise<unknown> = Promise.resolve();
  private next: Promise<string> | undefined;

  /** @param count the number of replicas; 0 waits for none */
  constructor(
    private readonly redis: PrimaryRedis,
    private readonly count: number,
  ) {}

  /** The server that executes the commands now. A caller reads it before its write and passes it to `confirm`. */
  get server(): string | undefined {
    return this.redis.primary.serverId;
  }

  /**
   * Resolves when enough replicas have every write since `server` was read.
   * @throws LateReplicasError after 1 s, or 2 s if a round was in progress, and at once if another server is the primary meanwhile
   */
  async confirm(server: string | undefined): Promise<void> {
    if (this.count === 0) return;
    if (server === undefined || server !== this.server)
      throw new LateReplicasError(this.count, 'the primary has changed, or the user may not read INFO');
    const confirmed = await this.round();
    if (confirmed !== server) throw new LateReplicasError(this.count, 'the primary has changed');
  }

  close(): void {
    this.connection?.disconnect();
  }

  /** Returns the server that has confirmed the round. */
  private round(): Promise<string> {
    this.next ??= this.present
      .catch(() => {})
      .then(() => {
        this.next = undefined;
        const round = this.wait();
        this.present = round;
        return round;
      });
    return this.next;
  }

  /** A new connection would not know the write: WAIT would confirm nothing. */
  private async wait(): Promise<string> {
    const keys = keysOf(this.redis);
    const redis = (this.connection ??= this.redis.sibling('commands'));
    await redis.incr(keys.replicaRounds);
    const { stream } = redis;
    const { serverId } = redis.primary;
    const confirmed = await redis.wait(this.count, WAIT_MS);
    if (redis.stream !== stream || serverId === undefined)
      throw new LateReplicasError(this.count, 'the connection was lost');
    if (confirmed < this.count) throw new LateReplicasError(this.count, `${confirmed} within ${WAIT_MS} ms`);
    return serverId;
  }
}
