import { Inject, Injectable } from '@nestjs/common';
import {
  derivedInvocationId,
  timeOfInvocationId,
  ToolError,
  type Definition,
  type Json,
  type JsonObject,
  type Status,
  type Waiting,
} from '@errand/contracts';
import { Suspended, type CallOrigin } from '@errand/engine';
import {
  cancelInvocation,
  Definitions,
  ownSessionOf,
  placeBeside,
  Queues,
  readState,
  type InvocationRecord,
  type StoredDefinition,
  type StoredInvocation,
} from '@errand/queue';
import { withAttempts } from '../steps/retry-tool.js';
import type { StepContext } from '../steps/step-context.js';
import { ChildInvocations, SuspendedForChild } from './child-invocations.js';

/** The call of an agent that a node makes. */
interface AgentCall {
  definition: Definition;
  digest: string;
  args: JsonObject;
  origin: CallOrigin;
  inventory?: readonly StoredDefinition[];
}

/** The retry policy of a turn whose node makes the attempts itself. */
const SINGLE_ATTEMPT = { attempts: 1 };
const LEFT = 'The node that called the agent has ended';

/**
 * Runs a turn for a node, as a child invocation of the node's step: each call has rounds, limits and a status of its own. The id of the
 * child follows from the call, so that a worker that takes the invocation over waits for the same turn.
 *
 * States of a call, which the state of the invocation shows beside those of the nodes: `running` or `waiting_external`, with the child in
 * `waiting`, then the final status of the child.
 */
@Injectable()
export class CallAgent {
  constructor(
    @Inject(Queues) private readonly queues: Queues,
    @Inject(Definitions) private readonly definitions: Definitions,
    @Inject(ChildInvocations) private readonly children: ChildInvocations,
  ) {}

  /** @throws the error of the turn; Suspended while it runs or waits */
  async run(context: StepContext, call: AgentCall): Promise<Json> {
    const { definition, digest, origin, inventory } = call;
    const { work } = context;
    const id = turnIdOf(context, origin);
    await this.definitions.put([{ definition, digest, ...(inventory && { inventory }) }]);
    await this.children.request(work.id, id, recordOf(context, id, call));
    const leave = this.cancelWith(context, id, origin.signal);
    try {
      const ended = await this.children.waitForEnd(context, id, async () => {});
      leave();
      await this.record(context, call, { status: ended.status, finishedAt: new Date().toISOString() });
      return resultOf(ended, call);
    } catch (error) {
      if (!(error instanceof SuspendedForChild)) throw error;
      const { waiting, forAnswer } = error;
      const status = forAnswer ? 'waiting_external' : 'running';
      await this.record(context, call, { status, waiting: { ...waiting, invocationId: id, step: 0 } });
      throw new Suspended(undefined, forAnswer, (signal) => this.children.untilChanged(id, forAnswer, signal));
    }
  }

  /** Cancels the turn when its node ends without it: for example by its time limit. Returns how to stop that. */
  private cancelWith({ work }: StepContext, id: string, signal: AbortSignal): () => void {
    const cancel = () => {
      // A suspended run goes on later. The end of the invocation itself ends its children.
      if (signal.reason instanceof Suspended || work.signal.aborted) return;
      cancelInvocation(this.queues, work.record.tenant, id, LEFT).catch(() => {});
    };
    signal.addEventListener('abort', cancel, { once: true });
    return () => signal.removeEventListener('abort', cancel);
  }

  /** Stores and emits the state of the call. */
  private async record(
    { work, index, journal, events }: StepContext,
    { definition, origin }: AgentCall,
    state: { status: Status; waiting?: Waiting; finishedAt?: string },
  ): Promise<void> {
    const nodeId = `${origin.key}?`;
    const field = `${index}/${nodeId}`;
    const text = (await readState(this.queues, work.id)).get(field);
    const before = text === undefined ? undefined : (JSON.parse(text) as { startedAt: string; status: Status });
    const startedAt = before?.startedAt ?? new Date().toISOString();
    const waiting = state.waiting && { ...state.waiting, key: nodeId };
    const stored = { nodeId, type: definition.tool.toolId, startedAt, finishedAt: null, ...state };
    await journal.writeState(field, { ...stored, ...(waiting && { waiting }) });
    if (before?.status !== state.status) events.emit({ event: 'step', index, status: state.status, nodeId });
  }
}

function turnIdOf({ work, index }: StepContext, { key }: CallOrigin): string {
  const id = derivedInvocationId(`${work.id} ${index}/${key}`, timeOfInvocationId(work.id) ?? 0);
  return placeBeside(work.id, id);
}

function recordOf(
  { work, index }: StepContext,
  id: string,
  { definition, digest, args, origin }: AgentCall,
): InvocationRecord {
  const { tenant, trace, depth = 0, session = ownSessionOf(id), agent, retry } = work.record;
  // The attempts of the caller are those of the turn. A node with a number of its own makes the attempts itself.
  const policy = origin.isRetried ? SINGLE_ATTEMPT : retry;
  const { toolId, version, kind } = definition.tool;
  return {
    tenant,
    calls: [{ toolId, version, kind, digest, arguments: args }],
    mode: 'sequence',
    session,
    ...(agent !== undefined && { agent }),
    ...(policy && { retry: policy }),
    parentTurn: { invocationId: work.id, step: index },
    depth: depth + 1,
    ...(trace !== undefined && { trace }),
  };
}

/** The turn has made all attempts, so nothing around it repeats it. */
function resultOf({ id, status, result, error, steps }: StoredInvocation, { definition, origin }: AgentCall): Json {
  if (status === 'succeeded') return result;
  const { toolId } = definition.tool;
  if (status === 'cancelled') throw new ToolError('NodeError', `The turn ${id} of ${toolId} was cancelled`);
  const { type = 'NodeError', message = 'It has no result', details } = error ?? {};
  const failure = new ToolError(type, `The turn ${id} of ${toolId} failed: ${message}`, details);
  throw origin.isRetried ? failure : withAttempts(failure, steps[0]?.attempts ?? 1);
}
