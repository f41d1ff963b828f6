import type { JsonObject } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { readWorldState } from './read-states.js';
import type { TurnAttempt } from './turn-writer.js';
import { updateState } from './update-state.js';

/** The field of a turn's journal that says that the state of its message lies over the world state. */
export const LAID_OVER = 'state of the message';

/**
 * Replaces top-level keys of the world state by those of a message, once for all attempts of its turn. Returns the world state.
 * @throws ToolError for a state above its bound; SupersededError
 */
export async function layOverWorld(queues: Queues, turn: TurnAttempt, state: JsonObject): Promise<JsonObject> {
  const keys = keysOf(queues.redis);
  const { id, attempt } = turn;
  const { tenant, session } = turn.conversation;
  if ((await queues.redis.hexists(keys.journal(id), LAID_OVER)) === 1)
    return readWorldState(queues, { tenant, session });
  const change = (world: JsonObject): JsonObject => ({ ...world, ...state });
  return updateState(queues, { tenant, session }, change, { id, attempt, mark: LAID_OVER });
}
