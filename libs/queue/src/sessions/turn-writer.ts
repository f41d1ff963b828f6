import { join } from 'node:path';
import type { JsonObject, SessionMessage, TurnEvent } from '@errand/contracts';
import { SupersededError } from '../bullmq/held-lock.js';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import type { EmittedEvents } from '../state/event-log.js';
import { openLife } from '../state/open-life.js';
import { conversationKeys, conversationPrefixes, sessionKey, type Conversation } from './conversation.js';
import { sizeOf } from './message-size.js';

/** A running attempt of a turn. */
export interface TurnAttempt {
  id: string;
  attempt: number;
  conversation: Conversation;
}

/** What one step of a turn writes. `fields` belong to the state of the invocation. */
export interface TurnStep {
  fields?: readonly (readonly [field: string, value: unknown])[];
  events?: readonly TurnEvent[];
  /** Events that were emitted before and are not stored yet, with the changes of the state that belong to them. */
  emitted?: EmittedEvents;
  messages?: readonly SessionMessage[];
}

/** The states of a session at the begin of a turn. */
export interface SessionStates {
  worldState: JsonObject;
  privateState: JsonObject;
}

const COMMIT = loadScript<[written: 0 | 1, worldState?: string, privateState?: string]>(
  join(__dirname, 'commit-turn.lua'),
);

/**
 * Writes the steps of a turn. Each step is one command: all of it is written, or nothing. The id of a message makes it appear once in the
 * conversation. Every write rejects with SupersededError after another attempt has begun.
 */
export class TurnWriter {
  private readonly queues: Queues;

  constructor(
    queues: Queues,
    private readonly turn: TurnAttempt,
  ) {
    this.queues = queues.shardOf(turn.id);
  }

  /** Resolves when the step is stored, and notifies the readers of the turn. */
  async commit(step: TurnStep): Promise<void> {
    await commitTurn(this.queues, this.turn, step);
  }
}

/**
 * Writes one step of a turn. With `initial` states, a session without states gets them, and the result is the states as they are then.
 * @throws SupersededError
 */
export async function commitTurn(
  queues: Queues,
  turn: TurnAttempt,
  { fields = [], events = [], messages = [], emitted }: TurnStep,
  initial?: SessionStates,
): Promise<SessionStates | undefined> {
  const keys = keysOf(queues.redis);
  const { id, attempt, conversation } = turn;
  const { messages: list, ids } = conversationKeys(keys, conversation);
  const now = Date.now();
  const at = new Date(now).toISOString();
  const changes = [...(emitted?.changes ?? []), ...fields];
  const told = [...(emitted?.events ?? []), ...events.map((event) => ({ ...event, at }))];
  const [written, worldState, privateState] = await COMMIT.run(
    queues.redis,
    [keys.job('invocations', id), keys.state(id), keys.events(id), sessionKey(keys, conversation), list, ids],
    [
      attempt,
      id,
      openLife(queues.retention),
      conversation.session,
      conversation.agent,
      now,
      queues.sessions.ageSeconds,
      queues.sessions.messages,
      ...conversationPrefixes(keys, conversation),
      initial ? JSON.stringify(initial.worldState) : '',
      initial ? JSON.stringify(initial.privateState) : '',
      changes.length,
      told.length,
      messages.length,
      ...changes.flatMap(([field, value]) => [field, JSON.stringify(value)]),
      ...told.map((event) => JSON.stringify(event)),
      ...messages.flatMap((message) => [message.id, sizeOf(message), JSON.stringify(message)]),
    ],
  );
  if (written !== 1) throw new SupersededError(id);
  if (worldState === undefined || privateState === undefined) return undefined;
  return { worldState: JSON.parse(worldState) as JsonObject, privateState: JSON.parse(privateState) as JsonObject };
}
