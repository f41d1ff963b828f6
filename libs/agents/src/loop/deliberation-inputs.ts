import {
  deliberationInput,
  type DeliberationInput,
  type Json,
  type JsonObject,
  type StoredSlot,
} from '@errand/contracts';
import type { History } from './write-history.js';

/** A part of the world that the caller of a turn describes for it. */
export interface ContextEntry {
  description: string;
  value: Json;
}

/** What a round knows. The deliberation workflow gets the parts that it declares. */
export interface RoundContext {
  agent: string;
  session: string;
  round: number;
  /** The newest message of the user. */
  message: string;
  history: History;
  /** Those of the last round; empty in the first. */
  observations: string;
  instructions: string;
  toolsPrompt: string;
  /** Definitions in OpenAI's form. */
  tools: readonly JsonObject[];
  privateState: JsonObject;
  worldState: JsonObject;
  context: readonly ContextEntry[];
  /** The rest of each limit. */
  limits: JsonObject;
}

/** Gives a deliberation workflow the inputs that it declares. An input of type STRING gets an object or list as JSON text. */
export function deliberationInputs(slots: Readonly<Record<string, StoredSlot>>, context: RoundContext): JsonObject {
  const values: Record<DeliberationInput, () => Json> = {
    message: () => context.message,
    messages: () => messagesOf(context),
    observations: () => context.observations,
    instructions: () => context.instructions,
    toolsPrompt: () => context.toolsPrompt,
    tools: () => [...context.tools],
    privateState: () => context.privateState,
    worldState: () => context.worldState,
    context: () => context.context.map(({ description, value }) => ({ description, value })),
    round: () => context.round,
    agent: () => context.agent,
    session: () => context.session,
    limits: () => ({ ...context.limits }),
  };
  return Object.fromEntries(
    Object.entries(slots).flatMap(([name, slot]) => {
      const input = deliberationInput(name);
      const value = input && values[input]();
      return value === undefined ? [] : [[name, fit(value, slot)]];
    }),
  );
}

function fit(value: Json, { dataFlowType }: StoredSlot): Json {
  return dataFlowType === 'STRING' && typeof value !== 'string' ? JSON.stringify(value) : value;
}

/** The system message, then the conversation. The system message says how many older messages are left out. */
function messagesOf({ instructions, toolsPrompt, context, history }: RoundContext): Json {
  const { messages, left } = history;
  const parts = [
    instructions,
    toolsPrompt,
    context.length === 0 ? '' : ['## Context', ...context.map(showEntry)].join('\n\n'),
    left === 0 ? '' : `(${left} older messages of this conversation are left out.)`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? messages : [{ role: 'system', content: parts.join('\n\n') }, ...messages];
}

function showEntry({ description, value }: ContextEntry): string {
  return `${description}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}
