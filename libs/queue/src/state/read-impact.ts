import { isFinal, type Impact, type NodeState, type RunPlace, type Step } from '@errand/contracts';
import { readDelivery } from '../callbacks/deliveries.js';
import { childrenOf, type Child } from '../consume/cancel.js';
import type { Queues } from '../redis/connect.js';
import { childId } from '../redis/job-ids.js';
import { keysOf } from '../redis/names.js';
import { waiterIn } from '../suspend/waiters.js';
import type { StoredInvocation } from './read-invocation.js';

/** What a cancel of an invocation would touch, without the effects that its definitions declare. Empty for one that has ended. */
export async function readImpact(queues: Queues, invocation: StoredInvocation): Promise<Omit<Impact, 'effectsDone'>> {
  const { id } = invocation;
  if (isFinal(invocation.status)) return { running: [], children: 0, waiters: [], callbackOwed: false };
  const shard = queues.shardOf(id);
  const { redis } = shard;
  const [children, waiters, delivery] = await Promise.all([
    openChildren(queues, await childrenOf(shard, id)),
    redis.smembers(keysOf(redis).waiters(id)),
    readDelivery(shard, id, 0),
  ]);
  const scripts = new Set(children.map((child) => child.id));
  return {
    running: invocation.steps.flatMap((step) => runningIn(invocation, step, scripts)),
    children: children.length,
    waiters: [...new Set(waiters.map(waiterIn))].toSorted(),
    callbackOwed: delivery !== undefined && (delivery.status === 'waiting' || delivery.status === 'pending'),
  };
}

async function openChildren(queues: Queues, children: readonly Child[]): Promise<Child[]> {
  const fields = await Promise.all(
    children.map(({ id, queue }) => {
      const { redis } = queues.shardOf(id);
      return redis.hmget(keysOf(redis).job(queue, id), 'timestamp', 'finishedOn');
    }),
  );
  return children.filter((_, n) => fields[n]?.[0] != null && fields[n]?.[1] == null);
}

/** The nodes of a step that run now; the step itself if it has none. */
function runningIn({ id, record }: StoredInvocation, step: Step, scripts: ReadonlySet<string>): Impact['running'] {
  const { index } = step;
  const nodes = (step.nodes ?? []).filter(isRunning);
  if (nodes.length === 0)
    return isRunning(step)
      ? [{ step: index, where: placeOf(record.calls[index]?.kind, scripts.has(childId(id, index))) }]
      : [];
  return nodes.map(({ nodeId }) => ({
    step: index,
    nodeId,
    where: placeOf(undefined, scripts.has(childId(id, index, nodeId))),
  }));
}

/** What waits for something else does not run. */
function isRunning({ status, waiting }: Pick<Step | NodeState, 'status' | 'waiting'>): boolean {
  return status === 'running' && (waiting === undefined || waiting.for === 'runner');
}

function placeOf(kind: string | undefined, isScript: boolean): RunPlace {
  if (isScript || kind === 'script') return 'script-runner';
  return kind === 'mcp' ? 'server' : 'worker';
}
