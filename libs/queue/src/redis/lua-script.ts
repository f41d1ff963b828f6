import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ChainableCommander, Redis } from 'ioredis';
import { withoutEvents, writesBullmqEvents } from '../bullmq/bull-events.js';
import { BULL_FIELD } from '../bullmq/layout.js';
import { hasShardedChannels, untilConnected } from './channels.js';
import { BATCH_FIELDS, DELIVERIES, ENDED, FIELD, keys, PREFIX } from './names.js';

type Argument = string | number | Buffer;

/** The names that a `.lua` file may use as `${name}`. */
const CONSTANTS: Readonly<Record<string, string>> = {
  prefix: PREFIX,
  deliveries: DELIVERIES,
  notifications: keys.notifications,
  ended: ENDED,
  batchFields: String(BATCH_FIELDS),
  changeClock: keys.changeClock,
  tenantWeights: keys.tenantWeights,
  ...Object.fromEntries(Object.entries({ ...FIELD, ...BULL_FIELD }).map(([name, field]) => [`field.${name}`, field])),
};

/** The text of a script and its digest. */
class ScriptText {
  readonly sha1: string;

  constructor(readonly text: string) {
    this.sha1 = createHash('sha1').update(text).digest('hex');
  }
}

/** A Lua script that Redis runs as one atomic command. The client sends its text once to each Redis, and later only its digest. */
export class LuaScript<Reply> {
  private readonly variants = new Map<string, ScriptText>();

  constructor(private readonly text: string) {}

  /** Adds the script, which must publish nothing, to a transaction. Its text is sent each time, because a transaction cannot react to a missing script. */
  addTo(multi: ChainableCommander, keyNames: readonly string[], args: readonly Argument[]): void {
    multi.eval(this.textFor(false).text, keyNames.length, ...keyNames, ...args);
  }

  async run(redis: Redis, keyNames: readonly string[], args: readonly Argument[]): Promise<Reply> {
    if (hasShardedChannels(redis) === undefined) await untilConnected(redis);
    const { sha1, text } = this.textFor(hasShardedChannels(redis) === true);
    try {
      return (await redis.evalsha(sha1, keyNames.length, ...keyNames, ...args)) as Reply;
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return (await redis.eval(text, keyNames.length, ...keyNames, ...args)) as Reply;
    }
  }

  /** @param isSharded for a Redis Cluster, whose messages stay within the nodes of the slot of their channel */
  private textFor(isSharded: boolean): ScriptText {
    const hasEvents = writesBullmqEvents();
    const name = `${isSharded} ${hasEvents}`;
    let found = this.variants.get(name);
    if (!found) {
      const text = hasEvents ? this.text : withoutEvents(this.text);
      found = new ScriptText(isSharded ? text.replaceAll("redis.call('PUBLISH'", "redis.call('SPUBLISH'") : text);
      this.variants.set(name, found);
    }
    return found;
  }
}

/** A script whose text is at hand. */
export function scriptOf<Reply>(text: string): LuaScript<Reply> {
  return new LuaScript(text);
}

/**
 * Reads a script from a `.lua` file. A line `-- @include <file>` is replaced by that file, whose path is relative to the including file
 * (the convention of BullMQ's scripts). `${name}` is replaced by a constant.
 * @param constants names of this script alone, beside the shared ones
 * @param functions Lua text that comes first
 * @throws Error for an unknown constant
 */
export function loadScript<Reply>(
  path: string,
  { constants = {}, functions = '' }: { constants?: Record<string, string | number>; functions?: string } = {},
): LuaScript<Reply> {
  const known: Record<string, string | number> = { ...CONSTANTS, ...constants };
  const text = readWithIncludes(path).replaceAll(/\$\{([\w.]+)\}/g, (_, name: string) => {
    const value = known[name];
    if (value === undefined) throw new Error(`${path} uses the constant \${${name}}, which does not exist`);
    return String(value);
  });
  return new LuaScript(functions + text);
}

function readWithIncludes(path: string, included = new Set<string>()): string {
  return readFileSync(path, 'utf8').replaceAll(/^-- @include (\S+)$/gm, (_, name: string) => {
    const other = join(dirname(path), name);
    if (included.has(other)) return '';
    included.add(other);
    return readWithIncludes(other, included);
  });
}
