import { hostname } from 'node:os';
import { keysOf } from './names.js';
import type { PrimaryRedis } from './primary-redis.js';
import { LateReplicasError, type ReplicaWait } from './replica-wait.js';
import { refusalOf } from './refusals.js';

/** The key is of no use to anybody later. */
const LIFE_SECONDS = 60;
const NO_ANSWER = 'Redis does not answer';

/**
 * Finds out by a real write whether Redis takes writes. A PING succeeds on a replica, on a node that does not own the keys and while the
 * memory is full. At most one write is in progress, however many ask.
 */
export class WriteProbe {
  private writing: Promise<unknown> | undefined;

  constructor(
    private readonly redis: PrimaryRedis,
    private readonly replicas: ReplicaWait,
  ) {}

  /** `ok`, or the reason in words. Strangers may read it, so the error of the client goes to `report` only. */
  async check(report: (error: unknown) => void): Promise<string> {
    try {
      const { server } = this.replicas;
      await this.write();
      await this.replicas.confirm(server);
      return 'ok';
    } catch (error) {
      report(error);
      if (error instanceof LateReplicasError) return `fewer than ${error.wanted} replicas of Redis confirm writes`;
      if (error instanceof Error && error.message.startsWith('NOPERM')) return 'the user of Redis may not write';
      return refusalOf(error)?.reason ?? this.redis.problem ?? NO_ANSWER;
    }
  }

  private async write(): Promise<void> {
    const keys = keysOf(this.redis);
    if (this.redis.status !== 'ready') throw new Error('Redis is not connected');
    this.writing ??= this.redis
      .set(keys.writeProbe, `${hostname()} ${process.pid}`, 'EX', LIFE_SECONDS)
      .finally(() => (this.writing = undefined));
    await within(this.redis.replyMs, this.writing);
  }
}

/** @throws Error if the promise does not settle in time */
async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis did not answer within ${ms} ms`)), ms);
  });
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
