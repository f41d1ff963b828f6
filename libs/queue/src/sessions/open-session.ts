import type { JsonObject } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { layOverWorld } from './lay-over-world.js';
import { commitTurn, type SessionStates, type TurnAttempt, type TurnStep } from './turn-writer.js';

/** The begin of a turn: the initial states of its profile, and what its first step writes, such as the messages of the user. */
export interface SessionOpening extends TurnStep {
  privateState?: JsonObject | undefined;
  worldState?: JsonObject | undefined;
  /** The `state` of the message. Each of its top-level keys replaces that key of the world state. */
  state?: JsonObject | undefined;
}

/**
 * Begins a turn in its session: stores the initial states where there are none, writes the first step of the turn, and lays the state of the
 * message over the world state, once for all attempts. Returns the states. One command; a `state` takes four more: fields and events of the
 * step are written last, so that a turn that has begun has its state.
 * @throws SupersededError; ToolError for a state above its bound
 */
export async function openSession(
  queues: Queues,
  turn: TurnAttempt,
  { privateState = {}, worldState = {}, state, ...step }: SessionOpening,
): Promise<SessionStates> {
  const initial = { privateState, worldState };
  if (state === undefined) return (await commitTurn(queues, turn, step, initial)) ?? initial;
  const { messages = [], ...begun } = step;
  const states = (await commitTurn(queues, turn, { messages }, initial)) ?? initial;
  const laid = await layOverWorld(queues, turn, state);
  await commitTurn(queues, turn, begun);
  return { ...states, worldState: laid };
}
