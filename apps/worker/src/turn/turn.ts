import type {
  AgentDefinition,
  AgentLimits,
  ClientTool,
  Definition,
  JsonObject,
  Round,
  SessionMessage,
} from '@errand/contracts';
import type { ContextEntry } from '@errand/agents';
import { ownSessionOf, type Conversation, type TurnStep, type TurnWriter } from '@errand/queue';
import type { CallTool } from '../steps/run-workflow-step.js';
import { isFirstStart, type StepContext } from '../steps/step-context.js';
import type { TurnTools } from './turn-tools.js';

/** The arguments of the tool `agent:<id>`. */
export interface TurnArguments {
  message?: string;
  messages?: { role: 'user' | 'system'; content: string; id?: string }[];
  tools?: ClientTool[];
  context?: ContextEntry[];
  state?: JsonObject;
}

/** A running turn. */
export interface Turn {
  context: StepContext;
  definition: Definition;
  digest: string;
  agent: AgentDefinition;
  limits: AgentLimits;
  args: TurnArguments;
  conversation: Conversation;
  writer: TurnWriter;
  tools: TurnTools;
  /** The rounds as they are stored. */
  rounds: Round[];
  /** By round: the id of a text that an earlier attempt began. */
  begunTexts: ReadonlyMap<number, string>;
  callTool: CallTool;
}

/** The field of the state that holds a round. */
export function roundField({ context }: Pick<Turn, 'context'>, round: number): string {
  return `${context.index}:round.${round}`;
}

/** The field of the state that holds the id of the text that a round has begun. */
export function textField({ context }: Pick<Turn, 'context'>, round: number): string {
  return `${context.index}:text.${round}`;
}

/** Replaces a round of the turn, or adds it. */
export function keepRound({ rounds }: Turn, round: Round): Round {
  rounds[round.index] = round;
  return round;
}

/**
 * The messages of the caller, with ids that follow from the turn, or with the ids that the caller gave. The message of a turn that an event
 * began has the role `event`.
 */
export function callerMessages({ args, context }: Pick<Turn, 'args' | 'context'>, at: string): SessionMessage[] {
  const { id: invocation, record } = context.work;
  const turn = record.firstTurn ?? invocation;
  const { message, messages = [] } = args;
  const role = record.trigger ? 'event' : 'user';
  const all = [...messages, ...(message === undefined ? [] : [{ role, content: message, id: undefined } as const])];
  return all.map(({ role: given, content, id }, n) => ({
    id: id ?? `${turn}.m${n}`,
    role: given,
    content,
    invocationId: turn,
    round: null,
    at,
  }));
}

/** A round that begins. */
export function newRound(index: number): Round {
  return { index, status: 'running', text: '', calls: [], startedAt: nowIso(), finishedAt: null };
}

/** What the first step of a round writes. */
export function beginOf(turn: Turn, round: Round): Pick<TurnStep, 'fields' | 'events'> {
  return {
    fields: [[roundField(turn, round.index), round]],
    events: [{ event: 'round', round: round.index, status: 'running' }],
  };
}

/** Whether nobody else can have written to the conversation: the turn has a session of its own, and this is its first start. */
export function isAlone({ context, conversation }: Pick<Turn, 'context' | 'conversation'>): boolean {
  const { id, record } = context.work;
  return isFirstStart(context.work) && record.calls.length === 1 && conversation.session === ownSessionOf(id);
}

export function nowIso(): string {
  return new Date().toISOString();
}
