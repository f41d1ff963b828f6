import { setTimeout as sleep } from 'node:timers/promises';
import { parseRedisAddress, type RedisAddress } from '@errand/contracts';
import { Redis, type Command, type RedisOptions } from 'ioredis';
import { gatherWrites } from './gather-writes.js';
import { PrimaryConnector } from './primary-connector.js';
import { keysIn, PREFIX } from './names.js';
import { refusalOf } from './refusals.js';
import { nameMissingKey } from './whole-scripts.js';

/**
 * The use of a connection.
 * - `commands`: a command fails if Redis does not answer in time (ERRAND_REDIS_REPLY_MS), so that callers do not hang.
 * - `patient`: commands wait while Redis is away or takes no writes, for a process that must continue afterwards.
 * - `blocking`: for a command that waits in Redis. It holds up all others on its connection.
 * - `subscriber`: for the messages of a channel.
 */
export type ConnectionKind = 'commands' | 'patient' | 'blocking' | 'subscriber';

/** The default of ERRAND_REDIS_REPLY_MS. */
const REPLY_MS = 2_000;
/** With several servers, an attempt to connect that takes longer has failed. */
const CONNECT_MS = 2_000;
/** The longest pause before the next attempt to connect. */
const RETRY_MS = 1_000;
/** With several servers, a failover must be found soon. */
const FAILOVER_RETRY_MS = 500;
/** The pause before a refused command of a patient connection is sent again. */
const REFUSED_MS = 500;
const WATCH_MS = 2_000;
/** A connection that has been away for longer is lost. A restart or a failover usually takes less time. */
const LOST_MS = 3_000;

/** A command that was sent, with the fields of ioredis that tell whether it can be sent again by itself. */
interface SentCommand {
  command: Command & { inTransaction?: boolean };
}

/**
 * The connection to the primary. It is an ioredis client whose connector finds the primary, and that sends a command again which
 * the server has refused because another one is the primary now: a refused command was not executed.
 */
export class PrimaryRedis extends Redis {
  /** Why the server refused the last command that was held back, and when (ms). */
  private refusal: { reason: string; at: number } | undefined;
  /** When it was there for the last time, if it is not (ms). */
  private goneAt: number | undefined;
  private silenceTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly address: RedisAddress,
    private readonly kind: ConnectionKind,
    /** The prefix of the keys that are used on this connection. */
    readonly keyspace: string = PREFIX,
    /** A command of the kind `commands` that takes longer has failed, in ms. */
    readonly replyMs: number = REPLY_MS,
  ) {
    super(optionsOf(address, kind, keyspace, replyMs));
    // Each failed command rejects by itself. Without a listener, the event would end the process.
    this.on('error', () => {});
    this.on('ready', () => {
      this.goneAt = undefined;
      this.watchSilence();
    });
    this.on('close', () => (this.goneAt ??= Date.now()));
    this.on('end', () => clearInterval(this.silenceTimer));
    gatherWrites(this);
  }

  get primary(): PrimaryConnector {
    // Private in ioredis, which makes it from the option `Connector`.
    return Reflect.get(this, 'connector') as PrimaryConnector;
  }

  /** Why commands wait or fail now, in words without addresses; undefined if nothing is known to be wrong. */
  get problem(): string | undefined {
    if (this.status !== 'ready') return this.primary.problem ?? 'Redis does not answer';
    return this.refusal && Date.now() - this.refusal.at < 2 * REFUSED_MS ? this.refusal.reason : undefined;
  }

  /** Whether it has been away for some seconds. */
  get isLost(): boolean {
    return this.goneAt !== undefined && Date.now() - this.goneAt > LOST_MS;
  }

  /** Another connection to the same Redis. */
  sibling(kind: ConnectionKind): PrimaryRedis {
    return new PrimaryRedis(this.address, kind, this.keyspace, this.replyMs);
  }

  /** BullMQ makes its connections by this method. */
  override duplicate(): never {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the declared type depends on options that Errand does not use
    return this.sibling('blocking') as never;
  }

  /** Each command comes here, also those of a pipeline. */
  override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown {
    if (this.primary.isCluster) nameMissingKey(command, keysIn(this.keyspace).neverStored);
    return super.sendCommand(command, stream);
  }

  /** ioredis calls this for each command that Redis refuses. A part of a transaction fails with the transaction. */
  override handleReconnection(error: Error, sent: SentCommand & Parameters<Redis['handleReconnection']>[1]): void {
    const { command } = sent;
    const refusal = this.status === 'ready' ? refusalOf(error) : undefined;
    if (refusal === undefined) return super.handleReconnection(error, sent);
    this.refusal = { reason: refusal.reason, at: Date.now() };
    const isWhole = !command.inTransaction && !['multi', 'exec', 'wait'].includes(command.name);
    const isResent = isWhole && (this.kind !== 'commands' || refusal.isMoved);
    if (refusal.isElsewhere) this.disconnect(true);
    if (!isResent) command.reject(error);
    else if (refusal.isElsewhere) void this.sendCommand(command);
    else setTimeout(() => void this.sendCommand(command), REFUSED_MS);
  }

  /**
   * A server that hangs, or that a network has cut off, closes no connection. If it does not answer, and another one is the primary, the
   * connection is given up. A lone server is waited for.
   */
  private watchSilence(): void {
    clearInterval(this.silenceTimer);
    if (!this.primary.hasSeveral || this.kind === 'blocking') return;
    let isAsking = false;
    this.silenceTimer = setInterval(() => {
      if (isAsking || this.status !== 'ready') return;
      isAsking = true;
      void this.leaveIfReplaced().finally(() => (isAsking = false));
    }, WATCH_MS).unref();
  }

  /** Asks the server, and while it does not answer, who the primary is. */
  private async leaveIfReplaced(): Promise<void> {
    const { stream, primary } = this;
    const { node } = primary;
    let answer = this.hasAnswer();
    for (let waitMs = WATCH_MS; this.stream === stream && this.status === 'ready'; waitMs = FAILOVER_RETRY_MS) {
      const hasAnswered = await Promise.race([answer, pause(waitMs)]);
      if (hasAnswered === true) return;
      if (hasAnswered === false) answer = this.hasAnswer();
      const now = await primary.locate().catch(() => node);
      if (now.host === node.host && now.port === node.port) continue;
      if (this.stream === stream) primary.abandon();
      return;
    }
  }

  /** False if the time of the command is over. An error is an answer, too. */
  private hasAnswer(): Promise<boolean> {
    return this.ping().then(
      () => true,
      ({ message }: Error) => message !== 'Command timed out',
    );
  }
}

/** Does not keep the process alive. */
function pause(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}

/** ioredis keeps options that it does not know: `address` and `keyspace` are for the connector, `skipVersionCheck` for BullMQ. */
type ClientOptions = RedisOptions & {
  replyMapping?: 'legacy';
  address: RedisAddress;
  keyspace: string;
  skipVersionCheck: true;
};

/**
 * Opens a connection to the primary that has a keyspace. It connects by itself, and again after each loss.
 * @param replyMs ERRAND_REDIS_REPLY_MS
 * @throws Error for a wrong address
 */
export function openConnection(
  url: string,
  kind: ConnectionKind,
  keyspace: string = PREFIX,
  replyMs?: number,
): PrimaryRedis {
  return new PrimaryRedis(parseRedisAddress(url), kind, keyspace, replyMs);
}

function optionsOf(address: RedisAddress, kind: ConnectionKind, keyspace: string, replyMs: number): ClientOptions {
  const several = address.kind !== 'plain';
  const { username, password, db, nodes, tls } = address;
  return {
    ...nodes[0],
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
    db,
    address,
    keyspace,
    Connector: PrimaryConnector as unknown as NonNullable<RedisOptions['Connector']>,
    retryStrategy: (times) => Math.min(50 * 2 ** times, several ? FAILOVER_RETRY_MS : RETRY_MS),
    maxRetriesPerRequest: kind === 'commands' ? 1 : null,
    ...(kind === 'commands' && { commandTimeout: replyMs }),
    ...((kind === 'commands' || several) && { connectTimeout: several ? CONNECT_MS : replyMs }),
    // The subscriber subscribes after each connection, because the way depends on the server.
    ...(kind === 'subscriber' && { autoResubscribe: false }),
    // BullMQ asks Redis for its version once for each queue. If that command exceeded the time limit, as at the start of a busy process,
    // the queue would refuse every later command.
    skipVersionCheck: true,
  };
}
