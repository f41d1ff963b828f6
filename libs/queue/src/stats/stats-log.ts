import { join } from 'node:path';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { FOLDED_AT_ONCE, LOG_SECONDS, GROUPS_AT_ONCE, MOST_NOTED } from './fold-bounds.js';

/** An entry that a process writes itself. The scripts that accept and end invocations write the others (`note-stats.lua`). */
export type LogEntry = RefusedEntry | DepthEntry;

/** Submissions of a tenant that were refused for the same reason. */
interface RefusedEntry {
  kind: 'refused';
  /** In ms. */
  at: number;
  tenant: string;
  tools: string[];
  agent?: string;
  /** The code of the problem. */
  errorType: string;
  count: number;
  /** The wrong parameters, from `parameterName`. */
  parameters: string[];
}

/** What waits in a queue at a time. */
interface DepthEntry {
  kind: 'depth';
  at: number;
  /** `EVERYBODY`, or the tenant whose jobs wait. */
  tenant: string;
  queue: string;
  depth: number;
  oldestMs: number;
}

/** In place of a tenant: the depths of whole queues. It is no name of a tenant. */
export const EVERYBODY = '*';

const APPEND = loadScript<number>(join(__dirname, 'append-log.lua'));
const FOLD = loadScript<number>(join(__dirname, 'fold-log.lua'));
/** For how long a command can be sent again (s). */
const NUMBER_SECONDS = 86_400;
/** Others run between two runs of the script. The next call goes on. */
const MOST_RUNS = 1_000;

/** Adds entries to the log, and folds it if it is long. An error leaves open whether they were added. @throws any error of Redis */
export async function appendToLog(queues: Queues, entries: readonly LogEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const { redis } = queues;
  const { statsLog } = keysOf(redis);
  const texts = entries.map(textOf);
  const [held] = await Promise.all([redis.rpush(statsLog, ...texts), redis.expire(statsLog, LOG_SECONDS)]);
  if (held > MOST_NOTED) await foldLog(queues);
}

/** A command that adds entries once, however often it is sent. */
export interface AppendOnce {
  /** Another name for each writer, and another number for each command. */
  writer: string;
  number: number;
  entries: readonly LogEntry[];
}

/** Adds entries to the log once. @returns the length of the log @throws any error of Redis. Send the same command again then */
export function appendOnce({ redis }: Queues, { writer, number, entries }: AppendOnce): Promise<number> {
  const { statsLog, statsWriter } = keysOf(redis);
  return APPEND.run(redis, [statsLog, statsWriter(writer)], [number, NUMBER_SECONDS, ...entries.map(textOf)]);
}

/** Moves the entries of the log to their buckets. Several processes may do it at the same time. */
export async function foldLog({ redis }: Queues): Promise<void> {
  const { statsLog } = keysOf(redis);
  for (let run = 0; run < MOST_RUNS; run++)
    if ((await FOLD.run(redis, [statsLog], [FOLDED_AT_ONCE, GROUPS_AT_ONCE])) === 0) return;
}

/** The form that `fold-stats.lua` reads: entries of the same kind of work have the same JSON. */
function textOf({ at, ...entry }: LogEntry): string {
  if (entry.kind === 'depth') {
    const { depth, oldestMs, ...what } = entry;
    return `${at} ${depth} ${Math.round(oldestMs)} ${JSON.stringify(what)}`;
  }
  const { count, ...what } = entry;
  return `${at} ${count} - ${JSON.stringify(what)}`;
}

/** A wrong parameter as a bucket names it: the tool, the parameter and what is wrong with it. */
export function parameterName(toolId: string, parameter: string, kind: string): string {
  return [toolId, parameter, kind].map((part) => part.replaceAll('\t', ' ')).join('\t');
}
