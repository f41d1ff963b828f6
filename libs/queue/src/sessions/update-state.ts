import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@errand/contracts';
import { SupersededError } from '../bullmq/held-lock.js';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { openLife } from '../state/open-life.js';
import { conversationPrefixes, sessionKey } from './conversation.js';
import { readVersioned, stateField, type StateName } from './read-states.js';
import { scopeOf, toChange } from './state-patch.js';

/** The turn that changes a state. Its events report the change. */
export interface ChangingTurn {
  id: string;
  /** Nothing is written after another attempt has begun. */
  attempt?: number;
  /** A name of the change in the journal of the turn. A change that has it already does not happen again. */
  mark?: string;
}

const UPDATE = loadScript<-1 | 0 | 1 | 2>(join(__dirname, 'update-state.lua'));

/** The longest pause before another try, in ms. Each try of several writers succeeds for one of them. */
const PAUSE_MS = 5;

/**
 * Changes a state of a session. `change` gets the state as it is and returns it as it should be, without changing its argument. It is called
 * again if another writer was faster, so that no change is lost. Returns the state after the change.
 * @throws whatever `change` throws; ToolError for a state above its bound; SupersededError
 */
export async function updateState(
  queues: Queues,
  name: StateName,
  change: (state: JsonObject) => JsonObject,
  turn?: ChangingTurn,
): Promise<JsonObject> {
  const keys = keysOf(queues.redis);
  for (;;) {
    const { state, version } = await readVersioned(queues, name);
    const next = change(state);
    const { text, patch } = toChange(name, state, next);
    if (patch.length === 0 && turn?.mark === undefined) return next;
    const now = Date.now();
    const event = { event: 'state', scope: scopeOf(name), patch, at: new Date(now).toISOString() };
    const written = await UPDATE.run(
      queues.redis,
      [
        sessionKey(keys, name),
        ...(turn ? [keys.job('invocations', turn.id), keys.events(turn.id), keys.journal(turn.id)] : []),
      ],
      [
        stateField(name),
        version,
        text,
        name.session,
        name.agent ?? '',
        now,
        queues.sessions.ageSeconds,
        ...conversationPrefixes(keys, name),
        ...(turn ? argsOf(queues, turn, patch.length > 0 ? JSON.stringify(event) : '') : []),
      ],
    );
    if (written === 1) return next;
    if (written === 2) return state;
    if (written === -1) throw new SupersededError(turn?.id ?? '');
    await sleep(Math.random() * PAUSE_MS);
  }
}

function argsOf(queues: Queues, { id, attempt, mark }: ChangingTurn, event: string): (string | number)[] {
  return [id, event, openLife(queues.retention), attempt ?? '', mark ?? ''];
}
