import { createHash, randomBytes } from 'node:crypto';
import { notifyProcesses } from '../redis/channels.js';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { loginEndOf } from '../redis/notification-names.js';

/** The longest life of a login session, however often it is used. */
const LONGEST_MS = 7 * 86_400_000;
const TOKEN_BYTES = 32;
/** 32 bytes in base64url. */
const TOKEN = /^[\w-]{43}$/;

/** A login session of a browser. */
export interface LoginSession {
  /** The digest of its token, by which Redis knows it. */
  digest: string;
  /** Names the API key that began it. */
  keyName: string;
  /** When it ends if it is not used any more (ms). */
  expiresAt: number;
}

/** A new login session with the token that the browser gets. Redis never has the token. */
export interface BegunSession extends LoginSession {
  token: string;
}

/** What Redis stores of a session. */
interface StoredSession {
  key: string;
  /** When it began (ms). */
  at: number;
}

/**
 * The login sessions of browsers, in the keyspace `{errand}`. Nothing is kept in the process, so that an end of a session holds in every
 * process at once.
 */
export class LoginSessions {
  /** @param idleMs how long a session lives without use */
  constructor(
    private readonly queues: Queues,
    private readonly idleMs: number,
  ) {}

  /** Begins a session for the key of this name. @throws any error of Redis */
  async begin(keyName: string): Promise<BegunSession> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const digest = digestOf(token);
    const at = Date.now();
    const stored = JSON.stringify({ key: keyName, at } satisfies StoredSession);
    await this.redis.set(this.keyOf(digest), stored, 'PX', this.idleMs);
    return { token, digest, keyName, expiresAt: this.endOf(at, at) };
  }

  /** The session of a token, which lives on from now. Undefined if it has ended. @throws any error of Redis */
  async use(token: string): Promise<LoginSession | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const digest = digestOf(token);
    const text = await this.redis.getex(this.keyOf(digest), 'PX', this.idleMs);
    if (text === null) return undefined;
    const { key, at } = JSON.parse(text) as StoredSession;
    const now = Date.now();
    if (at + LONGEST_MS <= now) {
      await this.end(digest);
      return undefined;
    }
    return { digest, keyName: key, expiresAt: this.endOf(at, now) };
  }

  /** Whether the session lives. Does not count as a use of it. @throws any error of Redis */
  async exists(digest: string): Promise<boolean> {
    const text = await this.redis.get(this.keyOf(digest));
    return text !== null && (JSON.parse(text) as StoredSession).at + LONGEST_MS > Date.now();
  }

  /** Ends a session, and notifies every process. @throws any error of Redis */
  async end(digest: string): Promise<void> {
    await this.redis.del(this.keyOf(digest));
    await notifyProcesses(this.redis, loginEndOf(digest));
  }

  private get redis() {
    return this.queues.redis;
  }

  private keyOf(digest: string): string {
    return keysOf(this.redis).login(digest);
  }

  private endOf(begun: number, now: number): number {
    return Math.min(now + this.idleMs, begun + LONGEST_MS);
  }
}

/** The digest of a token. A token has 256 random bits, so that its digest needs no salt. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
