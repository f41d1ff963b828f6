import type { JsonObject } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { sessionKey, type Conversation, type SessionName } from './conversation.js';
import { keysOf } from '../redis/names.js';

/** A state of a session: the private state of `agent`, or without it the world state. */
export interface StateName extends SessionName {
  agent?: string | undefined;
}

/** A state at the time of its reading. Each change gives it another version. */
interface VersionedState {
  state: JsonObject;
  text: string;
  version: string;
}

/** The field of a state in the hash of its session. */
export function stateField({ agent }: StateName): string {
  return agent === undefined ? 'world' : `private:${agent}`;
}

export async function readVersioned({ redis }: Queues, name: StateName): Promise<VersionedState> {
  const keys = keysOf(redis);
  const field = stateField(name);
  const [text, version] = await redis.hmget(sessionKey(keys, name), field, `version:${field}`);
  return { state: JSON.parse(text ?? '{}') as JsonObject, text: text ?? '{}', version: version ?? '0' };
}

/** The world state of a session; `{}` if it has none. */
export async function readWorldState(queues: Queues, { tenant, session }: SessionName): Promise<JsonObject> {
  return (await readVersioned(queues, { tenant, session })).state;
}

/** The private state of an agent in a session; `{}` if it has none. */
export async function readPrivateState(queues: Queues, conversation: Conversation): Promise<JsonObject> {
  return (await readVersioned(queues, conversation)).state;
}
