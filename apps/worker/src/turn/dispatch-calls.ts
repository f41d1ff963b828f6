import { Inject, Injectable } from '@nestjs/common';
import { digestOf, ToolError, type Round, type RoundCall } from '@errand/contracts';
import { Definitions, type InvocationRecord, type RecordedCall, type StoredInvocation } from '@errand/queue';
import { Registry } from '@errand/registry';
import { BackgroundCalls } from './background-calls.js';
import { reportCalls } from './report-calls.js';
import { ChildInvocations } from './child-invocations.js';
import { keepRound, roundField, type Turn } from './turn.js';

/** The second phase of a round: runs its calls as one child invocation, and waits for its end. */
@Injectable()
export class DispatchCalls {
  constructor(
    @Inject(ChildInvocations) private readonly children: ChildInvocations,
    @Inject(Definitions) private readonly definitions: Definitions,
    @Inject(Registry) private readonly registry: Registry,
    @Inject(BackgroundCalls) private readonly background: BackgroundCalls,
  ) {}

  /** Enqueues the child of a round. Repeated, it changes nothing. */
  async dispatch(turn: Turn, round: Round): Promise<void> {
    const { work } = turn.context;
    const calls = await Promise.all(
      round.calls.map(async (call) => ({ call, recorded: await this.record(turn, round, call) })),
    );
    for (const { call, recorded } of calls)
      if (call.background) await this.background.start(turn, round, call, recorded);
    const own = calls.flatMap(({ call, recorded }) => (call.background ? [] : [recorded]));
    if (own.length > 0) await this.children.request(work.id, childOf(round), recordOf(turn, round, own));
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
