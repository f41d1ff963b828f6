import { join } from 'node:path';
import type { JsonObject } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { conversationKeys, conversationPrefixes, sessionKey, type SessionName } from './conversation.js';
import { CALLED_MARK } from './order-of-turns.js';

/** A session as it is stored. Times are ISO 8601. */
export interface StoredSession {
  session: string;
  /** The agents that have acted in it, sorted. */
  agents: string[];
  worldState: JsonObject;
  createdAt: string;
  updatedAt: string;
}

/** The turns of a session: `waiting` for an answer, `running` or queued, and `ended`, also those that retention has removed. */
export interface TurnCounts {
  running: number;
  waiting: number;
  ended: number;
}

const COUNT_TURNS = loadScript<[running: number, waiting: number, looked: number]>(join(__dirname, 'count-turns.lua'));
const DELETE = loadScript<[deleted: -1 | 0 | 1, openTurn?: string]>(join(__dirname, 'delete-session.lua'));

/** The turns that one script looks at. Redis runs other commands between two. */
const TURNS_AT_ONCE = 500;
const TURNS = 'turns:';

/** Reads a session with the number of its turns. Undefined if it does not exist. */
export async function readSession(
  queues: Queues,
  name: SessionName,
): Promise<(StoredSession & { turns: TurnCounts }) | undefined> {
  const keys = keysOf(queues.redis);
  const fields = await queues.redis.hkeys(sessionKey(keys, name));
  const agents = agentsOf(fields);
  const accepted = await queues.redis.hmget(
    sessionKey(keys, name),
    'createdAt',
    'updatedAt',
    'world',
    ...agents.map((agent) => TURNS + agent),
  );
  const [createdAt, updatedAt, world, ...counts] = accepted;
  if (createdAt == null || updatedAt == null) return undefined;
  const open = await Promise.all(agents.map((agent) => countOpen(queues, { ...name, agent })));
  const running = sum(open.map((each) => each.running));
  const waiting = sum(open.map((each) => each.waiting));
  const ended = Math.max(0, sum(counts.map(Number)) - running - waiting);
  return {
    session: name.session,
    agents,
    worldState: JSON.parse(world ?? '{}') as JsonObject,
    createdAt: timeOf(createdAt),
    updatedAt: timeOf(updatedAt),
    turns: { running, waiting, ended },
  };
}

/** The agents that have acted in a session, sorted; undefined if the session does not exist. One command. */
export async function readSessionAgents({ redis }: Queues, name: SessionName): Promise<string[] | undefined> {
  const keys = keysOf(redis);
  const fields = await redis.hkeys(sessionKey(keys, name));
  return fields.length === 0 ? undefined : agentsOf(fields);
}

/**
 * Deletes a session with its states and messages. Its invocations stay.
 * @returns `openTurn`, if one of its turns has not ended: then nothing is deleted. `unknown`, if the session does not exist
 */
export async function deleteSession(
  { redis }: Queues,
  name: SessionName,
): Promise<'deleted' | 'unknown' | { openTurn: string }> {
  const keys = keysOf(redis);
  const args = [...conversationPrefixes(keys, name), keys.job('invocations', ''), CALLED_MARK];
  const [deleted, openTurn = ''] = await DELETE.run(redis, [sessionKey(keys, name)], args);
  if (deleted === 0) return { openTurn };
  return deleted === 1 ? 'deleted' : 'unknown';
}

async function countOpen(
  { redis }: Queues,
  conversation: SessionName & { agent: string },
): Promise<{ running: number; waiting: number }> {
  const keys = keysOf(redis);
  const { turns } = conversationKeys(keys, conversation);
  const count = { running: 0, waiting: 0 };
  for (;;) {
    const passed = count.running + count.waiting;
    const args = [passed, TURNS_AT_ONCE, keys.job('invocations', ''), CALLED_MARK];
    const [running, waiting, looked] = await COUNT_TURNS.run(redis, [turns], args);
    count.running += running;
    count.waiting += waiting;
    if (looked < TURNS_AT_ONCE) return count;
  }
}

function agentsOf(fields: readonly string[]): string[] {
  return fields.flatMap((field) => (field.startsWith(TURNS) ? [field.slice(TURNS.length)] : [])).toSorted();
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function timeOf(ms: string): string {
  return new Date(Number(ms)).toISOString();
}
