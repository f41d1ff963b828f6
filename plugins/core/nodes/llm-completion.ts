import { createParser } from 'eventsource-parser';
import { isDeeperThan, isObject, ToolError, type Json, type JsonObject } from '@errand/contracts';
import { boundedText } from './bounded-text.js';

/** The answer of the model. */
export interface Completion {
  text: string;
  /** What the model thought, where the endpoint shows it. */
  reasoning: string;
  toolCalls: Json[];
  finishReason: string;
  model: string;
  usage: JsonObject;
}

/** The next pieces of the text and of the reasoning. An empty piece is absent. */
export type Pieces = { text?: string; reasoning?: string };

/** A type alias, because an interface is not assignable to a JSON type. */
type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };

const MAX_EVENT = 1_000_000;
/** More pieces than this that come together become one: each chunk of an output has a cost of its own. */
const FEW = 16;

/**
 * Reads the answer into `completion` and yields its text and its reasoning as they come, in pieces, or whole if the endpoint does not
 * stream. The content-type decides, not the request.
 * @throws ServiceError if the answer ends too early or does not follow this protocol, or the reason of the signal
 */
export async function* readCompletion(
  response: Response,
  completion: Completion,
  signal: AbortSignal,
): AsyncGenerator<Pieces> {
  try {
    if (/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? ''))
      yield* readEvents(response, completion);
    else yield readWhole(await response.text(), completion);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolError) throw error;
    throw broken(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function readWhole(text: string, completion: Completion): Pieces {
  const body = parse(text);
  const [choice] = listOf(body.choices);
  if (!isObject(choice) || !isObject(choice.message)) throw broken('it has no choices[0].message');
  takeFrame(body, choice, completion);
  completion.toolCalls = listOf(choice.message.tool_calls) as Json[];
  completion.text = textOf(choice.message);
  completion.reasoning = reasoningOf(choice.message);
  return piecesOf(completion.text, completion.reasoning);
}

async function* readEvents({ body }: Response, completion: Completion): AsyncGenerator<Pieces> {
  if (body === null) throw broken('it is empty');
  const toolCalls: ToolCall[] = [];
  completion.toolCalls = toolCalls;
  for await (const events of eventsOf(body)) {
    const burst = { text: '', reasoning: '' };
    for (const data of events) {
      if (data === '[DONE]') break;
      takeEvent(data, completion, toolCalls, burst);
      if (events.length > FEW) continue;
      yield piecesOf(burst.text, burst.reasoning);
      burst.text = burst.reasoning = '';
    }
    yield piecesOf(burst.text, burst.reasoning);
    if (events.includes('[DONE]')) return;
  }
  // Some endpoints omit the end mark, but all send the reason.
  if (completion.finishReason === '') throw broken('it was cut off before its end');
}

/** Takes the parts of one event into the completion, and its text and its reasoning into `burst`, too. */
function takeEvent(data: string, completion: Completion, toolCalls: ToolCall[], burst: Required<Pieces>): void {
  const chunk = parse(data);
  const [choice] = listOf(chunk.choices);
  takeFrame(chunk, isObject(choice) ? choice : {}, completion);
  const delta = isObject(choice) && isObject(choice.delta) ? choice.delta : {};
  listOf(delta.tool_calls).forEach((part) => takeToolCall(part, toolCalls));
  const piece = textOf(delta);
  const reasoning = reasoningOf(delta);
  completion.text = boundedText(completion.text + piece);
  completion.reasoning = boundedText(completion.reasoning + reasoning);
  burst.text += piece;
  burst.reasoning += reasoning;
}

/** The data of the events that come together. One parser for all bytes of a read costs a fifth of a stream of events. */
async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const events: string[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: ({ data }) => void events.push(data),
    onError: (error) => {
      throw error;
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield events.splice(0);
  }
}

/** The fields beside the text: the model, the usage, the reason of the end. */
function takeFrame(body: Record<string, unknown>, choice: Record<string, unknown>, completion: Completion): void {
  if (typeof body.model === 'string') completion.model = body.model;
  if (isObject(body.usage)) completion.usage = body.usage as JsonObject;
  if (typeof choice.finish_reason === 'string') completion.finishReason = choice.finish_reason;
}

/** A call comes in parts: first its id and name, then its arguments, piece by piece. */
function takeToolCall(part: unknown, calls: ToolCall[]): void {
  if (!isObject(part)) return;
  const index = Number.isInteger(part.index) ? Number(part.index) : calls.length;
  if (index > calls.length) throw broken('its tool calls are out of order');
  const call = (calls[index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } });
  const { name, arguments: piece } = isObject(part.function) ? part.function : {};
  if (typeof part.id === 'string') call.id = part.id;
  if (typeof name === 'string') call.function.name += name;
  if (typeof piece === 'string') call.function.arguments = boundedText(call.function.arguments + piece);
}

/** Parses the answer as the requested JSON. @throws OutputError */
export function parseAnswer({ text, finishReason }: Completion): Json {
  const hint = finishReason === 'length' ? '; it was cut off, raise maxTokens' : '';
  try {
    const value = JSON.parse(text) as Json;
    if (!isDeeperThan(value)) return value;
  } catch (error) {
    throw new ToolError('OutputError', `the model did not answer in JSON${hint}: ${text.slice(0, 200)}`, undefined, {
      cause: error,
    });
  }
  throw new ToolError('OutputError', 'the JSON of the answer nests too deep');
}

function parse(text: string): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw broken(`it is not JSON: ${text.slice(0, 100)}`);
  }
  if (!isObject(body)) throw broken('it is not an object');
  if (isObject(body.error))
    throw new ToolError('ServiceError', `the language model failed: ${String(body.error.message)}`);
  return body;
}

function textOf({ content }: Record<string, unknown>): string {
  return typeof content === 'string' ? content : '';
}

/** The names of the field for thoughts differ between endpoints. */
function reasoningOf({ reasoning_content: content, reasoning }: Record<string, unknown>): string {
  if (typeof content === 'string') return content;
  return typeof reasoning === 'string' ? reasoning : '';
}

function piecesOf(text: string, reasoning: string): Pieces {
  return { ...(text !== '' && { text }), ...(reasoning !== '' && { reasoning }) };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function broken(reason: string, options?: ErrorOptions): ToolError {
  return new ToolError(
    'ServiceError',
    `the answer of the language model cannot be read: ${reason}`,
    undefined,
    options,
  );
}
