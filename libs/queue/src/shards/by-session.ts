import * as runs from '../agui-runs/agui-runs.js';
import * as effects from '../consume/effect-claims.js';
import { keysOf } from '../redis/names.js';
import type { Queues } from '../redis/connect.js';
import type { SessionName } from '../sessions/conversation.js';
import { listMessages as list } from '../sessions/list-messages.js';
import { openSession as open } from '../sessions/open-session.js';
import * as order from '../sessions/order-of-turns.js';
import { publishEvent as publish } from '../sessions/publish-event.js';
import * as conversations from '../sessions/read-conversation.js';
import * as sessions from '../sessions/read-session.js';
import * as states from '../sessions/read-states.js';
import { searchMessages as search } from '../sessions/search-messages.js';
import * as life from '../sessions/session-life.js';
import { updateState as update } from '../sessions/update-state.js';

/** The function, run in the shard of the session that its second argument names. */
function bySession<Name extends SessionName, Rest extends unknown[], Result>(
  run: (queues: Queues, name: Name, ...rest: Rest) => Promise<Result>,
) {
  return async (queues: Queues, name: Name, ...rest: Rest): Promise<Result> =>
    run((await queues.shards?.ofSession(name.tenant, name.session)) ?? queues, name, ...rest);
}

export const listMessages = bySession(list);
export const findPredecessor = bySession(order.findPredecessor);
export const joinOrder = bySession(order.joinOrder);
export const knownMessages = bySession(conversations.knownMessages);
export const readConversation = bySession(conversations.readConversation);
export const readSession = bySession(sessions.readSession);
export const readSessionAgents = bySession(sessions.readSessionAgents);
export const deleteSession = bySession(sessions.deleteSession);
export const readWorldState = bySession(states.readWorldState);
export const readPrivateState = bySession(states.readPrivateState);
export const searchMessages = bySession(search);
export const updateState = bySession(update);
export const beginRun = bySession(runs.beginRun);
export const readRun = bySession(runs.readRun);
export const leaveOpen = bySession(runs.leaveOpen);
export const takenIds = bySession(runs.takenIds);
export const newestTurns = bySession(runs.newestTurns);
export const readByDigest = bySession((queues: Queues, { tenant }: SessionName, digest: string) =>
  runs.readByDigest(queues, tenant, digest),
);

/** The turns of a session are in its shard. */
export const openSession: typeof open = (queues, turn, opening) => open(queues.shardOf(turn.id), turn, opening);
export const answeredWaits: typeof runs.answeredWaits = (queues, turn) =>
  runs.answeredWaits(queues.shardOf(turn), turn);

export const publishEvent: typeof publish = async (queues, definitions, event, triggered) => {
  const shard = await queues.shards?.ofSession(event.tenant, event.session);
  return publish(shard ?? queues, definitions, event, triggered);
};

/** The record of a turn names its session. */
async function ofRecord(queues: Queues, { tenant, session }: { tenant: string; session?: string }): Promise<Queues> {
  return (session === undefined ? undefined : await queues.shards?.ofSession(tenant, session)) ?? queues;
}
export const keepSession: typeof life.keepSession = async (queues, record, until) =>
  life.keepSession(await ofRecord(queues, record), record, until);
export const settleSession: typeof life.settleSession = async (queues, record) =>
  life.settleSession(await ofRecord(queues, record), record);

/** The claim of an effect is with its session. One from before a growth counts where it is. */
async function ofEffect(queues: Queues, effect: effects.Effect): Promise<Queues> {
  const { shards } = queues;
  if (!shards) return queues;
  const { tenant, session } = effect;
  const exists = (place: Queues) => place.redis.exists(effects.keyOfEffect(keysOf(place.redis), effect));
  return shards.find(tenant, session, exists);
}
export const claimEffect: typeof effects.claimEffect = async (queues, effect, claimant, lost) =>
  effects.claimEffect(await ofEffect(queues, effect), effect, claimant, lost);
