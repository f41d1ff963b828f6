import { foldSlotName, isObject, ToolError, type Json, type JsonObject } from '@errand/contracts';

/** What the deliberation workflow of a round gave. */
export interface Deliberated {
  /** The whole text of the model. */
  text: string;
  /** Calls in OpenAI's form, as the model API gave them. Empty if there are none. */
  toolCalls: readonly Json[];
  reasoning?: string;
  usage?: Record<string, number>;
  finishReason?: string;
}

/** The names that outputs of a deliberation workflow may have, without case and `_`. */
const TEXT_NAMES = ['text', 'fulltext'];

/** The output of a workflow that holds the text: `text`, `full_text`, or the only output. */
export function textOutputOf(names: readonly string[]): string | undefined {
  return names.find((name) => TEXT_NAMES.includes(foldSlotName(name))) ?? (names.length === 1 ? names[0] : undefined);
}

/**
 * Reads the outputs of a deliberation workflow.
 * @throws ToolError OutputError if they have another form
 */
export function readDeliberation(outputs: JsonObject): Deliberated {
  const byName = new Map(Object.entries(outputs).map(([name, value]) => [foldSlotName(name), value]));
  const textName = textOutputOf(Object.keys(outputs));
  const toolCalls = byName.get('toolcalls') ?? [];
  if (!Array.isArray(toolCalls)) throw wrongOutput('toolCalls', 'a list');
  const text = textName === undefined ? '' : (outputs[textName] ?? '');
  if (typeof text !== 'string') throw wrongOutput(textName ?? 'text', 'a text');
  if (textName === undefined && toolCalls.length === 0) throw noText(Object.keys(outputs));
  const [reasoning, finishReason] = [byName.get('reasoning'), byName.get('finishreason')];
  const usage = numbersOf(byName.get('usage'));
  return {
    text,
    toolCalls,
    ...(typeof reasoning === 'string' && reasoning !== '' && { reasoning }),
    ...(usage && { usage }),
    ...(typeof finishReason === 'string' && { finishReason }),
  };
}

/** The numbers of an object by key; undefined if there are none. */
function numbersOf(value: Json | undefined): Record<string, number> | undefined {
  if (!isObject(value)) return undefined;
  const numbers = Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return numbers.length > 0 ? Object.fromEntries(numbers) : undefined;
}

function wrongOutput(name: string, form: string): ToolError {
  return new ToolError('OutputError', `The output '${name}' of the deliberation workflow must be ${form}`);
}

function noText(names: readonly string[]): ToolError {
  const known = names.length === 0 ? 'it has no output' : `it has ${names.join(', ')}`;
  return new ToolError('OutputError', `The deliberation workflow must have an output 'text' or 'full_text': ${known}`);
}
