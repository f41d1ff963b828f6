import { Inject, Injectable } from '@nestjs/common';
import { digestOf, ToolError, type Round, type RoundCall, type TurnEvent } from '@errand/contracts';
import { Definitions, type InvocationRecord, type RecordedCall, type StoredInvocation } from '@errand/queue';
import { Registry } from '@errand/registry';
import { ChildInvocations } from './child-invocations.js';
import { keepRound, roundField, type Turn } from './turn.js';

/** The second phase of a round: runs its calls as one child invocation, and waits for its end. */
@Injectable()
export class DispatchCalls {
  constructor(
    @Inject(ChildInvocations) private readonly children: ChildInvocations,
    @Inject(Definitions) private readonly definitions: Definitions,
    @Inject(Registry) private readonly registry: Registry,
  ) {}

  /** Enqueues the child of a round. Repeated, it changes nothing. */
  async dispatch(turn: Turn, round: Round): Promise<void> {
    const { work } = turn.context;
    const calls = await Promise.all(round.calls.map((call) => this.record(turn, round, call)));
    await this.children.request(work.id, childOf(round), recordOf(turn, round, calls));
  }

  /** Waits for the end of the child. Reports the ends of calls before each suspension. @throws SuspendedForChild */
  async waitForEnd(turn: Turn, round: Round): Promise<StoredInvocation> {
    return this.children.waitForEnd(turn.context, childOf(round), async (child) => {
      const known = turn.rounds[round.index] ?? round;
      const { stored, events } = reportCalls(known, child);
      if (stored.calls.every((call, n) => call === known.calls[n])) return;
      await turn.writer.commit({ fields: [[roundField(turn, round.index), stored]], events });
      keepRound(turn, stored);
    });
  }

  /** The child as it is; undefined if it was not enqueued. */
  read(turn: Turn, round: Round): Promise<StoredInvocation | undefined> {
    return this.children.read(turn.context, childOf(round));
  }

  /** Defines an agent that this agent calls: its turn begins with its definition at that time. */
  private async define(toolId: string): Promise<string> {
    const tool = this.registry.find(toolId);
    if (!tool) throw new ToolError('ParameterValidationError', `Unknown tool '${toolId}'`);
    const defined = await this.registry.define(tool);
    await this.definitions.put([defined]);
    return defined.digest;
  }

  private async record({ tools }: Turn, { native }: Round, call: RoundCall): Promise<RecordedCall> {
    const { toolId, arguments: args, callId } = call;
    const shared = { toolId, arguments: args, callId, ...(native && { onError: 'continue' as const }) };
    const definition = tools.clientDefinition(toolId);
    if (definition) {
      const digest = digestOf(definition);
      await this.definitions.put([{ digest, definition }]);
      return { ...shared, version: definition.tool.version, kind: 'external', digest };
    }
    const found = tools.inventoryTool(toolId);
    if (!found) throw new ToolError('LostError', `The inventory of this turn has no tool '${toolId}'`);
    const digest = found.digest ?? (await this.define(toolId));
    return { ...shared, version: found.tool.version, kind: found.tool.kind, digest };
  }
}

function childOf({ invocationId }: Round): string {
  if (invocationId !== undefined) return invocationId;
  throw new ToolError('LostError', 'The round has calls, but no invocation that runs them');
}

function recordOf(
  { context, agent, limits, conversation }: Turn,
  round: Round,
  calls: RecordedCall[],
): InvocationRecord {
  const { work, index } = context;
  const { tenant, trace, depth = 0 } = work.record;
  return {
    tenant,
    calls,
    mode: round.native ? 'parallel' : 'sequence',
    agent: agent.agentId,
    session: conversation.session,
    maxResultChars: limits.maxResultChars,
    parentTurn: { invocationId: work.id, step: index, round: round.index },
    depth: depth + 1,
    ...(trace !== undefined && { trace }),
  };
}

/** The longest result in an event and in the state, in characters. The child has the whole result. */
const MAX_SHOWN_CHARS = 4_096;

/**
 * Takes the present states of the calls over from the child. Returns the round to store, and an event for each call that has ended since
 * the last report.
 */
export function reportCalls(round: Round, { steps }: StoredInvocation): { stored: Round; events: TurnEvent[] } {
  const events: TurnEvent[] = [];
  const calls = round.calls.map((call, n): RoundCall => {
    const step = steps[n];
    if (!step || isEnded(call) || step.status === call.status) return call;
    const { status, result, error } = step;
    const shown = { ...(result !== undefined && { result: cut(result) }), ...(error && { error }) };
    const changed = { ...call, status: status === 'queued' ? 'running' : status, ...shown } as const;
    if (isEnded(changed)) events.push({ event: 'called', round: round.index, callId: call.callId, status, ...shown });
    return changed;
  });
  return { stored: { ...round, calls }, events };
}

function isEnded({ status }: Pick<RoundCall, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}

function cut(value: RoundCall['result']): RoundCall['result'] {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length <= MAX_SHOWN_CHARS ? value : `${text.slice(0, MAX_SHOWN_CHARS)}… (${text.length} characters)`;
}
