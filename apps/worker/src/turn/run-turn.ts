import { Inject, Injectable } from '@nestjs/common';
import { nextAction } from '@errand/agents';
import { ToolError, type Json, type JsonObject, type Round, type Status } from '@errand/contracts';
import { parse } from '@errand/protocol';
import { openSession, Queues, readState, TurnWriter } from '@errand/queue';
import type { CallTool, Target } from '../steps/run-workflow-step.js';
import { isFirstStart, type StepContext } from '../steps/step-context.js';
import { BackgroundCalls } from './background-calls.js';
import { foregroundCalls } from './report-calls.js';
import { Deliberate } from './deliberate.js';
import { DispatchCalls } from './dispatch-calls.js';
import { observe } from './observe-round.js';
import { readAnswer } from './read-answer.js';
import { TakeTurn } from './take-turn.js';
import {
  beginOf,
  callerMessages,
  isAlone,
  keepRound,
  newRound,
  nowIso,
  type Turn,
  type TurnArguments,
} from './turn.js';
import { TurnTools } from './turn-tools.js';

/**
 * Runs a turn of an agent: round after round, until the model calls nothing any more. Each phase of a round is stored before the next one
 * begins, so that another worker continues from there. `nextAction` decides what is next.
 */
@Injectable()
export class RunTurn {
  constructor(
    @Inject(Queues) private readonly queues: Queues,
    @Inject(TakeTurn) private readonly takeTurn: TakeTurn,
    @Inject(Deliberate) private readonly deliberate: Deliberate,
    @Inject(DispatchCalls) private readonly dispatchCalls: DispatchCalls,
    @Inject(BackgroundCalls) private readonly background: BackgroundCalls,
  ) {}

  /**
   * Returns the answer of the agent.
   * @throws Suspended while a child, an earlier turn or a node waits; ResourceLimitError; OutputError; the error of a deliberation
   */
  async run(context: StepContext, args: JsonObject, target: Target, callTool: CallTool): Promise<Json> {
    const turn = await this.open(context, args, target, callTool);
    requireDepth(turn);
    if (turn.rounds.length === 0 && (await this.begin(turn)) === 'reported') return null;
    let child = await this.statusOfChild(turn);
    for (;;) {
      context.signal.throwIfAborted();
      const action = nextAction({ rounds: turn.rounds, limits: turn.limits, ...(child && { child }) });
      switch (action.do) {
        case 'deliberate':
          await this.deliberate.run(turn, action.round);
          break;
        case 'dispatch':
          child = await this.dispatch(turn, roundOf(turn, action.round));
          break;
        case 'wait':
        case 'observe': {
          const ended = await this.dispatchCalls.waitForEnd(turn, roundOf(turn, action.round));
          await observe(turn, roundOf(turn, action.round), ended);
          child = undefined;
          break;
        }
        case 'end':
          return answerOf(turn, roundOf(turn, action.round));
        case 'fail':
          throw action.error;
        default:
          return action satisfies never;
      }
    }
  }

  /** The turn as it is stored. */
  private async open(context: StepContext, args: JsonObject, target: Target, callTool: CallTool): Promise<Turn> {
    const { definition, digest } = target;
    const { agent } = definition;
    const { work, index } = context;
    const { tenant, session, limits } = work.record;
    if (!agent || session === undefined) throw new ToolError('LostError', 'The turn has no agent or no session');
    const conversation = { tenant, session, agent: agent.agentId };
    const given = args as TurnArguments;
    const state = isFirstStart(work) ? new Map<string, string>() : await readState(this.queues, work.id);
    return {
      context,
      definition,
      digest,
      agent,
      limits: { ...agent.limits, ...limits },
      args: given,
      conversation,
      writer: new TurnWriter(this.queues, { id: work.id, attempt: work.attempt, conversation }),
      tools: new TurnTools(agent, given.tools ?? []),
      callTool,
      ...roundsIn(state, index),
    };
  }

  /** Returns the status of the child. If all calls run in the background, there is none, and the round ends at once. */
  private async dispatch(turn: Turn, round: Round): Promise<Status | undefined> {
    await this.dispatchCalls.dispatch(turn, round);
    if (foregroundCalls(round).length > 0) return 'queued';
    await observe(turn, round);
    return undefined;
  }

  /**
   * Waits for earlier turns, then stores the states and the messages of the caller. Repeated, it changes nothing. Returns `reported` if
   * another turn has told the agent already what this one would tell.
   */
  private async begin(turn: Turn): Promise<'begun' | 'reported'> {
    const { work } = turn.context;
    const { awaits } = work.record;
    if (awaits !== undefined) await this.background.awaitEnd(turn, awaits);
    if (!isAlone(turn)) await this.takeTurn.take(turn);
    if (awaits !== undefined && (await this.background.isRead(turn, awaits))) return 'reported';
    const { privateState, worldState } = turn.agent;
    const messages = awaits === undefined ? callerMessages(turn, nowIso()) : [];
    const attempt = { id: work.id, attempt: work.attempt, conversation: turn.conversation };
    const round = newRound(0);
    const { state } = turn.args;
    await openSession(this.queues, attempt, { privateState, worldState, state, messages, ...beginOf(turn, round) });
    keepRound(turn, round);
    return 'begun';
  }

  /** The status of the child that runs the calls of the last round. Undefined if it is not enqueued, or if the round has ended. */
  private async statusOfChild(turn: Turn): Promise<Status | undefined> {
    const last = turn.rounds.at(-1);
    if (!last || last.status !== 'running' || last.calls.length === 0) return undefined;
    return (await this.dispatchCalls.read(turn, last))?.status;
  }
}

/** The rounds of a step, and the texts that they have begun, from the state of the invocation. */
function roundsIn(state: ReadonlyMap<string, string>, index: number): Pick<Turn, 'rounds' | 'begunTexts'> {
  const prefix = `${index}:round.`;
  const rounds: Round[] = [];
  const begunTexts = new Map<number, string>();
  for (const [field, text] of state) {
    if (field.startsWith(prefix)) rounds.push(JSON.parse(text) as Round);
    if (field.startsWith(`${index}:text.`))
      begunTexts.set(Number(field.slice(`${index}:text.`.length)), JSON.parse(text) as string);
  }
  return { rounds: rounds.toSorted((a, b) => a.index - b.index), begunTexts };
}

function roundOf({ rounds }: Turn, index: number): Round {
  const round = rounds[index];
  if (round) return round;
  throw new ToolError('LostError', `Round ${index} of the turn is not stored`);
}

function requireDepth({ context, limits }: Turn): void {
  const { depth = 0 } = context.work.record;
  const { maxDepth } = limits;
  if (depth <= maxDepth) return;
  const message = `Agents may call agents at most ${maxDepth} deep (maxDepth); this turn would be ${depth} deep`;
  throw new ToolError('ResourceLimitError', message, { limit: 'maxDepth', value: maxDepth });
}

function answerOf({ agent, tools }: Turn, { text }: Round): Json {
  return readAnswer({ agent }, text, parse(text, { tools }).responseText);
}
