import { isFinal, type Impact, type NodeState, type RunPlace, type Step } from '@errand/contracts';
import { readDelivery } from '../callbacks/deliveries.js';
import { childrenOf, type Child } from '../consume/cancel.js';
import type { Queues } from '../redis/connect.js';
import { childId } from '../redis/job-ids.js';
import { keysOf } from '../redis/names.js';
import { waiterIn } from '../suspend/waiters.js';
import type { StoredInvocation } from './read-invocation.js';

/** The most waiters that are named. */
const NAMED_WAITERS = 1_000;

/** What a cancel of an invocation would touch, without the effects that its definitions declare. Empty for one that has ended. */
export async function readImpact(queues: Queues, invocation: StoredInvocation): Promise<Omit<Impact, 'effectsDone'>> {
  const { id } = invocation;
  if (isFinal(invocation.status)) return { running: [], children: 0, waiters: [], callbackOwed: false };
  const shard = queues.shardOf(id);
  const { redis } = shard;
  const waitersKey = keysOf(redis).waiters(id);
  const [children, waiters, waiterCount, delivery] = await Promise.all([
    openChildren(queues, await childrenOf(shard, id)),
    // Each of them once.
    redis.srandmember(waitersKey, NAMED_WAITERS),
    redis.scard(waitersKey),
    readDelivery(shard, id, 0),
  ]);
  return {
    running: invocation.steps.flatMap((step) => runningIn(invocation, step, scriptsOf(children, id, step))),
    children: children.length,
    waiters: [...new Set(waiters.map(waiterIn))].toSorted(),
    ...(waiterCount > waiters.length && { moreWaiters: waiterCount - waiters.length }),
    callbackOwed: delivery !== undefined && (delivery.status === 'waiting' || delivery.status === 'pending'),
  };
}

interface OpenChild extends Child {
  /** A process runs it. */
  isHeld: boolean;
}

async function openChildren(queues: Queues, children: readonly Child[]): Promise<OpenChild[]> {
  const read = await Promise.all(
    children.map(async ({ id, queue }): Promise<OpenChild[]> => {
      const { redis } = queues.shardOf(id);
      const keys = keysOf(redis);
      const [[known, ended], locked] = await Promise.all([
        redis.hmget(keys.job(queue, id), 'timestamp', 'finishedOn'),
        redis.exists(keys.lock(queue, id)),
      ]);
      return known != null && ended == null ? [{ id, queue, isHeld: locked === 1 }] : [];
    }),
  );
  return read.flat();
}

/** The open scripts of a step by node, with '' for the step itself: whether a script-runner has it. */
function scriptsOf(children: readonly OpenChild[], id: string, { index }: Step): Map<string, boolean> {
  const own = childId(id, index);
  return new Map(
    children.flatMap(({ id: child, isHeld }): [string, boolean][] => {
      if (child === own) return [['', isHeld]];
      if (!child.startsWith(`${own}.`)) return [];
      // The call is named by its node, with the number of its attempt from the second on, and the number of the call.
      const call = Buffer.from(child.slice(own.length + 1), 'base64url').toString();
      return [[call.replace(/(?:#\d+)?:\d+$/, ''), isHeld]];
    }),
  );
}

/** The nodes of a step that run now; the step itself if it has none. What waits, also its script for a script-runner, does not run. */
function runningIn({ record }: StoredInvocation, step: Step, scripts: ReadonlyMap<string, boolean>): Impact['running'] {
  const { index, nodes = [] } = step;
  const runs = ({ status, waiting }: Pick<Step | NodeState, 'status' | 'waiting'>, script = '') =>
    status === 'running' && waiting === undefined && scripts.get(script) !== false;
  const open = nodes.filter(({ status, waiting }) => status === 'running' || waiting !== undefined);
  if (open.length === 0)
    return runs(step) ? [{ step: index, where: placeOf(record.calls[index]?.kind, scripts.has('')) }] : [];
  return open
    .filter((node) => runs(node, node.nodeId))
    .map(({ nodeId }) => ({ step: index, nodeId, where: placeOf(undefined, scripts.has(nodeId)) }));
}

function placeOf(kind: string | undefined, isScript: boolean): RunPlace {
  if (isScript || kind === 'script') return 'script-runner';
  return kind === 'mcp' ? 'server' : 'worker';
}
