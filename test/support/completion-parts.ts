import type { Json, JsonObject } from '@errand/contracts';

/** A tool call that the model makes. Arguments that are a text are sent as they are. */
export interface ScriptedCall {
  /** Default: `call_<number of the call in the answer>`. */
  id?: string;
  name: string;
  arguments?: JsonObject | string;
}

/** The answer of the model to one request. */
export interface Answer {
  /** The text, or the pieces in which it is streamed. */
  text?: string | readonly string[];
  /** The thoughts (`reasoning_content`), or their pieces. They precede the text. */
  reasoning?: string | readonly string[];
  toolCalls?: readonly ScriptedCall[];
  /** Default: the numbers of characters, which are the same for the same request and answer. */
  usage?: Record<string, number>;
  /** Default: `tool_calls` if there are calls, else `stop`. */
  finishReason?: string;
  /** An error instead of the answer, such as 429 or 500. */
  status?: number;
  /** The text of the error. */
  message?: string;
  /** The header `Retry-After` of the error, in seconds. */
  retryAfter?: number;
  /** The whole body as it is, instead of an answer: nonsense. */
  raw?: string;
  /** The answer is one JSON value, although a stream was requested. */
  whole?: boolean;
  /** The response begins only after this has resolved. */
  after?: Promise<unknown> | (() => Promise<unknown>);
  /** The rest of the stream follows the first `pieces` only after `until` has resolved. */
  hold?: { pieces: number; until: Promise<unknown> };
  /** The server destroys the connection after this number of pieces; with 0 right behind the headers. */
  breakAfter?: number;
}

const MODEL = 'scripted-1';
const CREATED = 1_700_000_000;

/** The text of an answer in one string. */
export function wholeText(text: string | readonly string[] = ''): string {
  return piecesOf(text).join('');
}

/** The body of a response that is not streamed. */
export function completionOf(answer: Answer, promptChars: number): JsonObject {
  const calls = callsOf(answer);
  const reasoning = wholeText(answer.reasoning);
  const message = {
    role: 'assistant',
    content: answer.text === undefined && calls.length > 0 ? null : wholeText(answer.text),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    ...frame('chat.completion'),
    choices: [{ index: 0, message, finish_reason: finishReasonOf(answer) }],
    usage: usageOf(answer, promptChars),
  };
}

/** The server-sent events of a stream: one for each piece, and those that end it. */
export function streamOf(answer: Answer, promptChars: number): { pieces: string[]; end: string } {
  const deltas: JsonObject[] = [
    ...piecesOf(answer.reasoning ?? '').map((piece) => ({ reasoning_content: piece })),
    ...piecesOf(answer.text ?? '').map((piece) => ({ content: piece })),
    ...callsOf(answer).flatMap(partsOfCall),
  ];
  const ended = chunkOf({}, finishReasonOf(answer));
  const usage = { ...frame('chat.completion.chunk'), choices: [], usage: usageOf(answer, promptChars) };
  return {
    pieces: deltas.map((delta, index) => eventOf(chunkOf(index === 0 ? { role: 'assistant', ...delta } : delta))),
    end: `${eventOf(ended)}${eventOf(usage)}data: [DONE]\n\n`,
  };
}

/** A call in two parts: first its id and name, then its arguments. */
function partsOfCall(call: ReturnType<typeof callsOf>[number], index: number): JsonObject[] {
  const { name, arguments: text } = call.function;
  return [
    { tool_calls: [{ index, id: call.id, type: 'function', function: { name, arguments: '' } }] },
    { tool_calls: [{ index, function: { arguments: text } }] },
  ];
}

function callsOf({ toolCalls = [] }: Answer) {
  return toolCalls.map(({ id, name, arguments: args = {} }, index) => ({
    id: id ?? `call_${index}`,
    type: 'function' as const,
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
}

function usageOf(answer: Answer, promptChars: number): JsonObject {
  if (answer.usage) return answer.usage;
  const answered = wholeText(answer.text).length + JSON.stringify(callsOf(answer)).length - 2;
  return { prompt_tokens: promptChars, completion_tokens: answered, total_tokens: promptChars + answered };
}

function finishReasonOf({ finishReason, toolCalls = [] }: Answer): string {
  return finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
}

function chunkOf(delta: JsonObject, finishReason: string | null = null): JsonObject {
  return { ...frame('chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason: finishReason }] };
}

function frame(object: string): JsonObject {
  return { id: 'chatcmpl-scripted', object, created: CREATED, model: MODEL };
}

function eventOf(data: Json): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function piecesOf(text: string | readonly string[]): readonly string[] {
  if (typeof text !== 'string') return text;
  return text === '' ? [] : [text];
}
