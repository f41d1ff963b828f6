import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { canonicalJson, type RemoteList, type RemoteServer, type RemoteTool } from '@errand/contracts';
import { publishCommand } from '../redis/channels.js';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { remoteListOf } from '../redis/notification-names.js';

const CLAIM = loadScript<0 | 1>(join(__dirname, 'claim-lister.lua'));

/** A list that no worker has written for this time is removed. */
const KEEP_SECONDS = 30 * 86_400;

/** The stored form: the texts of the fields of a `RemoteList`. */
export type StoredList = Partial<Record<'tools' | 'away' | 'leftOut', string>>;

/** Names what a server lists: its address or command with headers and env, but not how its tools are used. */
export function digestOfServer({ name, url, headers, command, args, env }: RemoteServer): string {
  return createHash('sha256').update(canonicalJson({ name, url, headers, command, args, env })).digest('hex');
}

/**
 * The tools of the servers of `mcp.json`, which one worker lists and all processes read. An API has no connection to these
 * servers, and a restarted process has their tools at once.
 */
export class RemoteLists {
  constructor(private readonly queues: Queues) {}

  async read(digest: string): Promise<StoredList> {
    const keys = keysOf(this.queues.redis);
    return this.queues.redis.hgetall(keys.remoteList(digest));
  }

  /** Stores a new list. The server is no longer away. */
  async store(digest: string, tools: readonly RemoteTool[], leftOut: readonly string[]): Promise<void> {
    await this.write(digest, {
      tools: JSON.stringify(tools),
      leftOut: leftOut.length > 0 ? JSON.stringify(leftOut) : undefined,
      away: undefined,
    });
  }

  /** Stores that the server is away. Its last list stays, and so does the time since which it is away. */
  async storeAway(digest: string, reason: string): Promise<void> {
    const { away } = await this.read(digest);
    const before = away === undefined ? undefined : (JSON.parse(away) as RemoteList['away']);
    const since = before?.since ?? new Date().toISOString();
    await this.write(digest, { away: JSON.stringify({ reason, since }) });
  }

  /** Makes `worker` the one that lists a server, for `ms`. Returns false if another one does. */
  async claim(digest: string, worker: string, ms: number): Promise<boolean> {
    const keys = keysOf(this.queues.redis);
    return (await CLAIM.run(this.queues.redis, [keys.remoteLister(digest)], [worker, ms])) === 1;
  }

  /** Lets another worker list the server at once. */
  async release(digest: string, worker: string): Promise<void> {
    const keys = keysOf(this.queues.redis);
    const key = keys.remoteLister(digest);
    if ((await this.queues.redis.get(key)) === worker) await this.queues.redis.del(key);
  }

  /** Writes the fields that differ from the stored ones, and notifies the readers if there are any. */
  private async write(digest: string, fields: Record<string, string | undefined>): Promise<void> {
    const keys = keysOf(this.queues.redis);
    const key = keys.remoteList(digest);
    const before: Record<string, string> = await this.queues.redis.hgetall(key);
    const changed = Object.entries(fields).filter(([field, text]) => before[field] !== text);
    const { redis } = this.queues;
    const publish = await publishCommand(redis);
    const pipeline = redis.multi();
    for (const [field, text] of changed)
      if (text === undefined) pipeline.hdel(key, field);
      else pipeline.hset(key, field, text);
    pipeline.expire(key, KEEP_SECONDS);
    if (changed.length > 0) pipeline[publish](keys.controlNotifications, remoteListOf(digest));
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }
}
