import { setTimeout as sleep } from 'node:timers/promises';
import type { PrimaryRedis } from './primary-redis.js';

/** Redis ends a wait on time. After this many ms more, the connection counts as lost. */
const GRACE_MS = 2_000;
/** The pause after a connection has closed, so that a Redis that refuses connections gets few attempts. */
const CLOSED_MS = 200;

/** A member that a blocking command has taken from a sorted set. */
export interface TakenMember {
  member: string;
  score: number;
}

type EndOfWait = 'closed' | 'late' | 'interrupted';

/**
 * The blocking connection of a consumer. A wait always ends: with a member, at its time, when the connection closes, or shortly after its
 * time if the connection is lost without a sign. A connection that has failed is not trusted again: the next wait opens a new one.
 */
export class BlockingWait {
  private redis: PrimaryRedis | undefined;
  private endWait: ((reason: EndOfWait) => void) | undefined;
  private isClosed = false;

  constructor(private readonly open: () => PrimaryRedis) {}

  /**
   * Waits for a member of the sorted set, at most `seconds`. One wait at a time.
   * @returns undefined if there was none, or if it is unknown because the connection was lost
   * @throws Error that Redis gives
   */
  async waitFor(key: string, seconds: number): Promise<TakenMember | undefined> {
    if (this.isClosed) return undefined;
    const redis = (this.redis ??= this.open());
    const taking = redis.bzpopmin(key, seconds);
    const ended = new Promise<EndOfWait>((resolve) => (this.endWait = resolve));
    const onClose = () => this.endWait?.('closed');
    const timer = setTimeout(() => this.endWait?.('late'), seconds * 1_000 + GRACE_MS);
    redis.once('close', onClose);
    try {
      const found = await Promise.race([taking, ended]);
      if (typeof found === 'string') return await this.abandon(redis, taking, found);
      return found ? { member: found[1], score: Number.parseInt(found[2], 10) } : undefined;
    } catch (error) {
      await this.abandon(redis, taking, 'closed');
      throw error;
    } finally {
      clearTimeout(timer);
      redis.off('close', onClose);
      this.endWait = undefined;
    }
  }

  /** Ends the present wait. */
  interrupt(): void {
    this.endWait?.('interrupted');
  }

  /** Ends the present wait and all later ones. */
  close(): void {
    this.isClosed = true;
    this.interrupt();
    this.redis?.disconnect();
  }

  /** Gives the connection up, with the command that nobody waits for any more. */
  private async abandon(redis: PrimaryRedis, taking: Promise<unknown>, end: EndOfWait): Promise<undefined> {
    taking.catch(() => {});
    if (this.redis === redis) this.redis = undefined;
    redis.disconnect();
    if (end === 'closed' && !this.isClosed) await sleep(CLOSED_MS);
  }
}
