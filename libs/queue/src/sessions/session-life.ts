import { join } from 'node:path';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import type { InvocationRecord } from '../state/record.js';
import { agentsOf, conversationPrefixes, sessionKey } from './conversation.js';
import { CALLED_MARK } from './order-of-turns.js';

const KEEP = loadScript<null>(join(__dirname, 'keep-open-session.lua'));
const SETTLE = loadScript<null>(join(__dirname, 'settle-session.lua'));

/** The longest that a suspended turn keeps its session, in seconds. A turn without a deadline has this time, too. */
const LONGEST_WAIT_SECONDS = 365 * 86_400;

/** Keeps the session of a turn that is suspended until `until` (ms). An invocation that is no turn keeps none. */
export async function keepSession(queues: Queues, record: InvocationRecord, until: number | undefined): Promise<void> {
  const keys = keysOf(queues.redis);
  const name = sessionOf(record);
  if (!name) return;
  const wait = until === undefined ? LONGEST_WAIT_SECONDS : Math.ceil((until - Date.now()) / 1_000);
  const seconds = Math.min(Math.max(0, wait), LONGEST_WAIT_SECONDS) + queues.sessions.ageSeconds;
  await KEEP.run(queues.redis, [sessionKey(keys, name)], [seconds, ...conversationPrefixes(keys, name)]);
}

/** Ends the effect of `keepSession` after the end of the turn, unless another turn of the session is suspended. */
export async function settleSession(queues: Queues, record: InvocationRecord): Promise<void> {
  const keys = keysOf(queues.redis);
  const name = sessionOf(record);
  if (!name) return;
  const args = [
    queues.sessions.ageSeconds,
    ...conversationPrefixes(keys, name),
    keys.job('invocations', ''),
    CALLED_MARK,
  ];
  await SETTLE.run(queues.redis, [sessionKey(keys, name)], args);
}

function sessionOf(record: InvocationRecord): { tenant: string; session: string } | undefined {
  const { tenant, session } = record;
  return session === undefined || agentsOf(record).length === 0 ? undefined : { tenant, session };
}
