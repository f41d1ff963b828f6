import type { Redis } from 'ioredis';
import { keysOf } from './names.js';
import { openConnection, type PrimaryRedis } from './primary-redis.js';

/** Whether the connection is to a node of a Cluster. Known as soon as `hasShardedChannels`. */
export function isInCluster(redis: Redis): boolean {
  const primary = Reflect.get(redis, 'primary') as PrimaryRedis['primary'] | undefined;
  return primary?.isCluster === true;
}

/**
 * Whether messages must be sent by SPUBLISH. Then they stay within the nodes that have the keys, and only SSUBSCRIBE gets them. Undefined
 * before the first connection.
 */
export function hasShardedChannels(redis: Redis): boolean | undefined {
  // BullMQ passes its own wrapper of the connection, which is no instance of the class but has its fields.
  const primary = Reflect.get(redis, 'primary') as PrimaryRedis['primary'] | undefined;
  return primary ? primary.hasShardedChannels : false;
}

/** Resolves when `hasShardedChannels` is known, or when Redis does not answer. The next command then fails or waits. */
export async function untilConnected(redis: Redis): Promise<void> {
  await redis.ping().catch(() => {});
}

/** The command that publishes on this connection, also in its pipelines. */
export async function publishCommand(redis: Redis): Promise<'publish' | 'spublish'> {
  if (hasShardedChannels(redis) === undefined) await untilConnected(redis);
  return hasShardedChannels(redis) ? 'spublish' : 'publish';
}

/** Sends a notification that is about no invocation to the processes. @throws any error of Redis */
export async function notifyProcesses(redis: Redis, name: string): Promise<void> {
  const publish = await publishCommand(redis);
  await redis[publish](keysOf(redis).controlNotifications, name);
}

interface ChannelListener {
  message: (message: string) => void;
  /** Called after each subscription: messages may have been missed before it. */
  subscribed: () => void;
  /** Called if Redis refuses the subscription. */
  error: (error: Error) => void;
}

/** Receives the messages of some channels of a keyspace on a connection of its own, and subscribes again after each loss of the connection. */
export class ChannelSubscriber {
  private readonly redis: PrimaryRedis;
  private readonly first: Promise<void>;

  constructor(
    url: string,
    private readonly channels: readonly string[],
    private readonly on: ChannelListener,
    keyspace?: string,
  ) {
    this.redis = openConnection(url, 'subscriber', keyspace);
    for (const event of ['message', 'smessage'])
      this.redis.on(event, (_channel: string, message: string) => on.message(message));
    // The slot of the channel has another primary now.
    this.redis.on('moved', () => this.redis.disconnect(true));
    this.first = new Promise((resolve, reject) => {
      this.redis.on('ready', () => void this.subscribe().then(resolve, reject));
    });
    this.first.catch(on.error);
  }

  /** Resolves when no later message can be missed. @throws Error if Redis refuses the subscription */
  ready(): Promise<void> {
    return this.first;
  }

  close(): void {
    this.redis.disconnect();
  }

  private async subscribe(): Promise<void> {
    if (hasShardedChannels(this.redis)) await this.redis.ssubscribe(...this.channels);
    else await this.redis.subscribe(...this.channels);
    this.on.subscribed();
  }
}
