import type { ErrorKind, JsonObject, MessageForm } from '@errand/contracts';
import { readAnthropicMessage } from './anthropic-message.js';
import type { GivenCall, GivenMessage, MessageFault } from './given-call.js';
import { recognise, type ShapedMessage } from './message-shapes.js';
import { readOpenAiMessage } from './openai-message.js';
import { readArguments } from './read-arguments.js';
import { readResponsesOutput } from './responses-message.js';

export type { MessageFault } from './given-call.js';

/** The longest id of a call, in characters. Some gateways keep data of their own in these ids. */
const MAX_ID_CHARS = 4_096;
const LONE_SURROGATE = /\p{Cs}/u;
const MAX_NAME_CHARS = 256;
/** The most calls of one message, as in `calls` of a submission. */
const MAX_CALLS = 1_000;

/** A problem of a call. `path` is a JSON Pointer into its arguments, `/callId` or `/toolId`. */
export interface CallFault {
  kind: Extract<ErrorKind, 'invalid_parameters' | 'truncated'>;
  path: string;
  message: string;
  line?: number;
  column?: number;
}

/** A call of a message. It can run if it has no fault. */
export interface MessageCall {
  /** Absent if the message has none that an answer could name. */
  callId?: string;
  toolId: string;
  arguments: JsonObject;
  isCustom: boolean;
  faults: CallFault[];
}

export interface ReadMessage {
  form: MessageForm;
  calls: MessageCall[];
  responseText: string;
  warnings: string[];
}

/** Reads the answer of a model API: its form, its text, and each call with the faults that show without the tool. */
export function readMessage(given: unknown): ReadMessage | { fault: MessageFault } {
  const shaped = recognise(given);
  if (!('form' in shaped)) return { fault: shaped };
  const { calls, responseText, warnings } = readShaped(shaped);
  if (calls.length > MAX_CALLS) {
    const message = `The message has ${calls.length} calls; one message may have ${MAX_CALLS}`;
    return { fault: { path: shaped.at, message } };
  }
  return { form: shaped.form, calls: checkCalls(calls), responseText, warnings };
}

function readShaped({ form, message, ending }: ShapedMessage): GivenMessage {
  if (form === 'openai') return readOpenAiMessage(message);
  return form === 'responses' ? readResponsesOutput(message) : readAnthropicMessage(message, ending);
}

/** Each call of an id that occurs twice has the fault, so that the one answer to this id reports it. */
function checkCalls(given: readonly GivenCall[]): MessageCall[] {
  const uses = new Map<unknown, number>();
  for (const { callId } of given) uses.set(callId, (uses.get(callId) ?? 0) + 1);
  return given.map((call) => checkCall(call, uses.get(call.callId) !== 1));
}

function checkCall({ callId, name, arguments: given, isCut, isCustom }: GivenCall, isRepeated: boolean): MessageCall {
  const faults: CallFault[] = [];
  const report = (path: string, message: string) => faults.push({ kind: 'invalid_parameters', path, message });
  const isId = typeof callId === 'string' && callId !== '';
  if (!isId) report('/callId', 'The call has no id, so that no answer could name it');
  else if (callId.length > MAX_ID_CHARS) report('/callId', `The id has more than ${MAX_ID_CHARS} characters`);
  else if (LONE_SURROGATE.test(callId)) report('/callId', 'The id holds half of a character (a lone surrogate)');
  else if (isRepeated) report('/callId', 'Several calls of the message have this id; each call needs its own');
  const toolId = typeof name === 'string' ? name : '';
  if (toolId === '') report('/toolId', 'The call names no tool');
  else if (toolId.length > MAX_NAME_CHARS) report('/toolId', `The name has more than ${MAX_NAME_CHARS} characters`);
  const read = isCustom || isCut ? { arguments: {} } : readArguments(given);
  if (isCustom) report('', 'The call passes plain text; declare the tool as a function, whose arguments are JSON');
  else if (isCut) faults.push({ kind: 'truncated', path: '', message: CUT });
  else if ('fault' in read) faults.push({ kind: 'invalid_parameters', path: '', ...read.fault });
  const args = 'arguments' in read ? read.arguments : {};
  return { ...(isId && { callId }), toolId, arguments: args, isCustom, faults };
}

const CUT = 'the message ends within the arguments of this call; raise the limit of tokens, or pass less in one call';
