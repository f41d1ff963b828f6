import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ChainableCommander, Redis } from 'ioredis';
import { withoutEvents, writesBullmqEvents } from '../bullmq/bull-events.js';
import { BULL_FIELD } from '../bullmq/layout.js';
import { hasShardedChannels, isInCluster, untilConnected } from './channels.js';
import { FOLD_CONSTANTS } from '../stats/fold-bounds.js';
import { FIELD } from './job-fields.js';
import { BATCH_FIELDS, keysIn, PREFIX, prefixOf } from './names.js';
import { ENDED } from './notification-names.js';
import { DELIVERIES, DELIVERY_PRIORITY } from './queue-names.js';
import { DROP_MISSING_KEY } from './whole-scripts.js';

type Argument = string | number | Buffer;

/** The names that a `.lua` file may use as `${name}`. */
const CONSTANTS: Readonly<Record<string, string>> = {
  deliveries: DELIVERIES,
  deliveryPriority: String(DELIVERY_PRIORITY),
  ended: ENDED,
  batchFields: String(BATCH_FIELDS),
  ...FOLD_CONSTANTS,
  ...Object.fromEntries(Object.entries({ ...FIELD, ...BULL_FIELD }).map(([name, field]) => [`field.${name}`, field])),
};

/** The names of the keyspace that the scripts of this connection work in. */
function keyConstants(prefix: string): Readonly<Record<string, string>> {
  const { notifications, controlNotifications, changeClock, statsLog, tenantWeights } = keysIn(prefix);
  return { prefix, notifications, controlNotifications, changeClock, statsLog, tenantWeights };
}

const KEY_CONSTANTS: ReadonlySet<string> = new Set(Object.keys(keyConstants(PREFIX)));

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

  /** @param textIn the text for the keyspace with this prefix */
  constructor(private readonly textIn: (prefix: string) => string) {}

  /** Adds the script, which must publish nothing, name no keys and not count them, to a transaction. Its text is sent each time, because a transaction cannot react to a missing script. */
  addTo(multi: ChainableCommander, keyNames: readonly string[], args: readonly Argument[]): void {
    multi.eval(this.textFor(PREFIX).text, keyNames.length, ...keyNames, ...args);
  }

  async run(redis: Redis, keyNames: readonly string[], args: readonly Argument[]): Promise<Reply> {
    if (hasShardedChannels(redis) === undefined) await untilConnected(redis);
    const kind = { isInCluster: isInCluster(redis), isSharded: hasShardedChannels(redis) === true };
    const { sha1, text } = this.textFor(prefixOf(redis), kind);
    try {
      return (await redis.evalsha(sha1, keyNames.length, ...keyNames, ...args)) as Reply;
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return (await redis.eval(text, keyNames.length, ...keyNames, ...args)) as Reply;
    }
  }

  /**
   * @param prefix that of the keyspace
   * @param isInCluster the client adds a key
   * @param isSharded for a Redis Cluster whose messages stay within the nodes of the slot of their channel
   */
  private textFor(prefix: string, { isInCluster: hasMoreKeys = false, isSharded = false } = {}): ScriptText {
    const hasEvents = writesBullmqEvents();
    const name = `${prefix} ${hasMoreKeys} ${isSharded} ${hasEvents}`;
    let found = this.variants.get(name);
    if (!found) {
      const whole = (hasMoreKeys ? DROP_MISSING_KEY : '') + this.textIn(prefix);
      const text = hasEvents ? whole : withoutEvents(whole);
      found = new ScriptText(isSharded ? text.replaceAll("redis.call('PUBLISH'", "redis.call('SPUBLISH'") : text);
      this.variants.set(name, found);
    }
    return found;
  }
}

/** A script whose text is at hand, and names no keys. */
export function scriptOf<Reply>(text: string): LuaScript<Reply> {
  return new LuaScript(() => text);
}

/**
 * Reads a script from a `.lua` file. A line `-- @include <file>` is replaced by that file, whose path is relative to the including file
 * (the convention of BullMQ's scripts). `${name}` is replaced by a constant.
 *
 * Redis makes all functions of a script again at each run (`bench/lua.mjs`), and allows 200 local variables. With a line
 * `-- @include <file> for <function>, <function>` those of the file are made when one of these is called; its other names are hidden.
 * @param constants names of this script alone, beside the shared ones
 * @param functions Lua text that comes first
 * @throws Error for an unknown constant
 */
export function loadScript<Reply>(
  path: string,
  { constants = {}, functions = '' }: { constants?: Record<string, string | number>; functions?: string } = {},
): LuaScript<Reply> {
  const known: Record<string, string | number> = { ...CONSTANTS, ...constants };
  const source = readWithIncludes(path).replaceAll(/\$\{([\w.]+)\}/g, (whole, name: string) => {
    if (KEY_CONSTANTS.has(name)) return whole;
    const value = known[name];
    if (value === undefined) throw new Error(`${path} uses the constant \${${name}}, which does not exist`);
    return String(value);
  });
  return new LuaScript((prefix) => functions + withKeys(source, prefix));
}

/** Replaces the names of keys in the text of a script. */
function withKeys(source: string, prefix: string): string {
  const names = keyConstants(prefix);
  return source.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole);
}

/** The texts of `.lua` files. Most are part of several scripts. */
const fileTexts = new Map<string, string>();

function readOnce(path: string): string {
  let text = fileTexts.get(path);
  if (text === undefined) fileTexts.set(path, (text = readFileSync(path, 'utf8')));
  return text;
}

function readWithIncludes(path: string, included = new Set<string>(), hidden = new Set<string>()): string {
  return readOnce(path).replaceAll(/^-- @include (\S+)(?: for (.+))?$/gm, (_, name: string, list?: string) => {
    const other = join(dirname(path), name);
    if (hidden.has(other))
      throw new Error(
        `${path} includes ${name}, which an earlier line includes for single functions; include it before that line`,
      );
    if (included.has(other)) return '';
    const within = list === undefined ? included : new Set(included);
    const text = readWithIncludes(other, within.add(other), hidden);
    if (list === undefined) return text;
    for (const file of within) if (!included.has(file)) hidden.add(file);
    return madeWhenCalled(text, list);
  });
}

/** The text of a file as a function that is called when one of the functions in the list is called for the first time. */
function madeWhenCalled(text: string, list: string): string {
  const stubs = list
    .split(', ')
    .map((name) => `${name} = function(...)\n  ${list} = make()\n  return ${name}(...)\nend\n`);
  return `local ${list}\ndo\nlocal function make()\n${text}\nreturn ${list}\nend\n${stubs.join('')}end`;
}
