import { Inject, Injectable } from '@nestjs/common';
import {
  assistantId,
  deliberationInputs,
  readDeliberation,
  textOutputOf,
  tokensOf,
  writeHistory,
  type Deliberated,
  type RoundContext,
} from '@errand/agents';
import {
  foldSlotName,
  sumUsage,
  ToolError,
  type AgentLimits,
  type Json,
  type JsonObject,
  type Round,
  type StoredSlot,
} from '@errand/contracts';
import { Suspended } from '@errand/engine';
import { readConversation, readPrivateState, readWorldState, Queues, SupersededError } from '@errand/queue';
import { checkClientArguments } from '../steps/check-client-arguments.js';
import { RunComputation } from '../steps/run-computation.js';
import { RunWorkflowStep } from '../steps/run-workflow-step.js';
import { readModelCalls } from './read-model-calls.js';
import { promptOf } from './turn-prompt.js';
import { storeRound } from './store-round.js';
import { TextStream } from './text-stream.js';
import { beginOf, callerMessages, isAlone, keepRound, newRound, nowIso, textField, type Turn } from './turn.js';

/** The first phase of a round: runs the deliberation workflow, and reads what the model wants. */
@Injectable()
export class Deliberate {
  constructor(
    @Inject(Queues) private readonly queues: Queues,
    @Inject(RunWorkflowStep) private readonly runWorkflowStep: RunWorkflowStep,
    @Inject(RunComputation) private readonly computation: RunComputation,
  ) {}

  /** @throws the error of a node; Suspended while a node of the workflow waits; OutputError for outputs of another form */
  async run(turn: Turn, index: number): Promise<void> {
    const round = turn.rounds[index] ?? (await this.begin(turn, index));
    const stream = this.streamOf(turn, index);
    try {
      const deliberated = await this.deliberate(turn, round, stream);
      const read = await readModelCalls(deliberated, turn.tools, (given) =>
        checkClientArguments(this.computation, turn.context, given),
      );
      stream.end(deliberated.text, read.responseText);
      await storeRound(turn, round, deliberated, read);
    } catch (error) {
      const isOver = !(error instanceof Suspended) && !(error instanceof SupersededError);
      if (isOver) turn.context.events.emit({ event: 'round', round: index, status: endOf(error) });
      throw error;
    }
  }

  private async begin(turn: Turn, index: number): Promise<Round> {
    const round = newRound(index);
    await turn.writer.commit(beginOf(turn, round));
    return keepRound(turn, round);
  }

  private streamOf(turn: Turn, index: number): TextStream {
    const { events, work } = turn.context;
    const broken = turn.begunTexts.get(index);
    return new TextStream({
      events,
      round: index,
      messageId: assistantId(work.id, index),
      attempt: work.attempt,
      field: textField(turn, index),
      ...(broken !== undefined && { broken }),
    });
  }

  private async deliberate(turn: Turn, { index }: Round, stream: TextStream): Promise<Deliberated> {
    const { definition, digest, agent, callTool, context } = turn;
    const workflow = definition.workflows?.[agent.workflowId];
    const slots = workflow?.interfaceInputs ?? {};
    const textOutput = textOutputOf(Object.keys(workflow?.interfaceOutputs ?? {}));
    const inputs = deliberationInputs(slots, await this.contextOf(turn, index, slots));
    const onOutput = (output: string, chunk: Json) => {
      if (typeof chunk !== 'string') return;
      if (output === textOutput) stream.push(chunk);
      else if (foldSlotName(output) === 'reasoning') stream.reason(chunk);
    };
    const deliberation = { definition, digest, key: `round.${index}`, inputs, onOutput };
    return readDeliberation(await this.runWorkflowStep.deliberate(context, deliberation, callTool));
  }

  /** What the round knows. States are read only if the workflow declares them. */
  private async contextOf(
    turn: Turn,
    round: number,
    slots: Readonly<Record<string, StoredSlot>>,
  ): Promise<RoundContext> {
    const { conversation, limits, agent, args, rounds } = turn;
    const declared = new Set(Object.keys(slots).map(foldSlotName));
    const { record } = turn.context.work;
    const begun = record.awaits === undefined ? callerMessages(turn, nowIso()) : [];
    const [stored, worldState, privateState] = await Promise.all([
      round === 0 && isAlone(turn)
        ? { messages: begun, older: 0 }
        : readConversation(this.queues, conversation, { maxChars: limits.historyChars }),
      declared.has('worldstate') ? readWorldState(this.queues, conversation) : {},
      declared.has('privatestate') ? readPrivateState(this.queues, conversation) : {},
    ]);
    const message = begun.findLast(({ role }) => role !== 'system')?.content ?? '';
    return {
      agent: agent.agentId,
      session: conversation.session,
      round,
      message,
      history: writeHistory(stored, limits.historyChars, begun),
      observations: rounds[round - 1]?.observation ?? '',
      instructions: agent.instructions,
      ...promptOf(turn, message, stored.messages),
      privateState,
      worldState,
      context: args.context ?? [],
      limits: restOf(limits, rounds, round),
    };
  }
}

function endOf(error: unknown): 'cancelled' | 'failed' {
  return error instanceof ToolError && error.type === 'CancelledError' ? 'cancelled' : 'failed';
}

/** The rest of each limit at the begin of a round. */
function restOf(limits: AgentLimits, rounds: readonly Round[], round: number): JsonObject {
  const calls = rounds.reduce((sum, one) => sum + one.calls.length, 0);
  const { maxTokens } = limits;
  return {
    ...limits,
    maxRounds: limits.maxRounds - round,
    maxToolCalls: limits.maxToolCalls - calls,
    ...(maxTokens !== undefined && { maxTokens: maxTokens - tokensOf(rounds) }),
    usage: sumUsage(rounds),
  };
}
