import { observeProblems, parse } from '@errand/protocol';
import {
  isObject,
  type Call,
  type CallAnswer,
  type Json,
  type LocatedWarning,
  type MessageToolCall,
  type ToolLookup,
} from '@errand/contracts';
import { readMessage } from '../translate/read-message.js';
import { checkMessage } from '../translate/refuse-calls.js';
import type { Deliberated } from './read-deliberation.js';

/** The most calls of one round. */
const MAX_CALLS = 64;

/** A valid call of a model. `name` is what the model wrote. */
export interface ReadCall extends Call {
  name: string;
  /** The id that the model gave the call. */
  givenId?: string;
}

/** The answer of a model, after it was read and checked. */
export type ReadRound =
  | ({ kind: 'answer' } & ReadText)
  | ({ kind: 'calls'; calls: ReadCall[]; native: boolean } & ReadText)
  | ({ kind: 'refused'; refusal: Refusal } & ReadText);

interface ReadText {
  /** The text before the block, as `parse` gives it. */
  responseText: string;
  warnings: LocatedWarning[];
}

/** Why nothing of a round runs. */
export interface Refusal {
  observation: string;
  /** For native calls: the calls as the model wrote them, and the message for each. */
  toolCalls: MessageToolCall[];
  answers: CallAnswer[];
}

/**
 * Reads the calls of a round: tool calls of a model API if there are any, otherwise the block of the text. Checks them against the tools
 * of the turn.
 */
export function readRound({ text, toolCalls, finishReason }: Deliberated, tools: ToolLookup): ReadRound {
  const parsed = parse(text, { tools });
  if (toolCalls.length > 0) return readNative(parsed.responseText, { text, toolCalls, finishReason }, tools);
  const { calls, errors, warnings: found, observation, responseText, trailingText } = parsed;
  const warnings = trailingText === '' ? found : [...found, ignored(text, trailingText)];
  const read = { responseText, warnings };
  if (errors.length > 0) return { ...read, kind: 'refused', refusal: textRefusal(observation ?? '') };
  if (calls.length > MAX_CALLS) return { ...read, kind: 'refused', refusal: textRefusal(tooMany(calls.length)) };
  if (calls.length === 0) return { ...read, kind: 'answer' };
  return { ...read, kind: 'calls', native: false, calls: calls.map((call) => ({ ...call, name: call.toolId })) };
}

interface NativeCalls {
  text: string;
  toolCalls: readonly Json[];
  finishReason: string | undefined;
}

function readNative(
  responseText: string,
  { text, toolCalls, finishReason }: NativeCalls,
  tools: ToolLookup,
): ReadRound {
  const given = toolCalls.map((call, n) => toToolCall(call, n));
  const message = { role: 'assistant', content: text, tool_calls: given };
  const read = readMessage({ choices: [{ message, finish_reason: finishReason ?? 'tool_calls' }] });
  if ('fault' in read) {
    const observation = `Observation: Error - The tool calls cannot be read: ${read.fault.message}`;
    return { responseText, warnings: [], kind: 'refused', refusal: textRefusal(observation) };
  }
  const { resolved, warnings, refusal } = checkMessage(read, tools);
  const answers = (content: string): CallAnswer[] => given.map(({ id }) => ({ callId: id, content, isError: true }));
  if (given.length > MAX_CALLS) {
    const observation = tooMany(given.length);
    const refused = { observation, toolCalls: given, answers: answers(observation) };
    return { responseText, warnings, kind: 'refused', refusal: refused };
  }
  if (refusal) {
    const refused = { observation: refusal.observation, toolCalls: given, answers: refusal.answers };
    return { responseText, warnings, kind: 'refused', refusal: refused };
  }
  const calls = resolved.map((call, n) => {
    const { callId, toolId: name = call.toolId } = read.calls[n] ?? {};
    const toolId = tools.find(name)?.toolId ?? name;
    return { ...call, toolId, name, ...(callId !== undefined && { givenId: callId }) };
  });
  return { responseText, warnings, kind: 'calls', native: true, calls };
}

/** A call in OpenAI's form, whatever the API left out. Some APIs give no id. */
function toToolCall(call: Json, n: number): MessageToolCall {
  const { id, function: called } = isObject(call) ? call : {};
  const { name, arguments: args } = isObject(called) ? called : {};
  return {
    id: typeof id === 'string' && id !== '' ? id : `call_${n}`,
    type: 'function',
    function: {
      name: typeof name === 'string' ? name : '',
      arguments: typeof args === 'string' ? args : args === undefined ? '{}' : JSON.stringify(args),
    },
  };
}

function textRefusal(observation: string): Refusal {
  return { observation, toolCalls: [], answers: [] };
}

function tooMany(count: number): string {
  const message = `Nothing ran. The answer has ${count} calls; one answer may have ${MAX_CALLS}. Split them over several answers.`;
  return observeProblems([{ kind: 'unknown_tool', path: '', message }], []);
}

function ignored(text: string, trailingText: string): LocatedWarning {
  const line = text.slice(0, text.lastIndexOf(trailingText)).split('\n').length;
  const shown = trailingText.length > 200 ? `${trailingText.slice(0, 200)}…` : trailingText;
  return { message: `The text after the block was ignored: ${shown}`, line, column: 1 };
}
