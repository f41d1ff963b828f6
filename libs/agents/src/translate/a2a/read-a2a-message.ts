import type { Json, JsonSchema } from '@errand/contracts';

/** A part of a message as the SDK gives it, in either version of A2A. */
export interface GivenPart {
  content?: { $case: string; value: unknown } | undefined;
}

export type PartFault = { fault: 'empty' } | { fault: 'unsupported'; part: number; kind: string };

const NAMES: Readonly<Record<string, string>> = { raw: 'file', url: 'file' };

/** The text of a message for the agent: text parts as they are, data parts as JSON, one a line. */
export function readMessageText(parts: readonly GivenPart[]): { text: string } | PartFault {
  const fault = faultOf(parts);
  if (fault) return fault;
  return { text: parts.map(({ content }) => textOf(content?.value)).join('\n') };
}

/**
 * The value of a message that answers a question. A single data part is the value; texts are one text. A text that is JSON is read where the
 * schema of the answer allows no text.
 */
export function readAnswer(parts: readonly GivenPart[], schema?: JsonSchema | boolean): { value: Json } | PartFault {
  const read = readMessageText(parts);
  if ('fault' in read) return read;
  const [only] = parts;
  if (parts.length === 1 && only?.content?.$case === 'data') return { value: (only.content.value ?? null) as Json };
  return { value: allowsText(schema) ? read.text : jsonOr(read.text) };
}

function faultOf(parts: readonly GivenPart[]): PartFault | undefined {
  if (parts.length === 0) return { fault: 'empty' };
  const part = parts.findIndex(({ content }) => content?.$case !== 'text' && content?.$case !== 'data');
  if (part === -1) return undefined;
  const kind = parts[part]?.content?.$case ?? 'empty';
  return { fault: 'unsupported', part, kind: NAMES[kind] ?? kind };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function allowsText(schema: JsonSchema | boolean | undefined): boolean {
  if (typeof schema !== 'object') return true;
  const { type } = schema as { type?: unknown };
  return type === undefined || [type].flat().includes('string');
}

function jsonOr(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
