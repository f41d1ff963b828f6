import { isObject } from '@errand/contracts';

/** One call as the message has it. Nothing of it is checked yet. */
export interface GivenCall {
  callId: unknown;
  name: unknown;
  /** JSON text in the APIs of OpenAI, an object in that of Anthropic. */
  arguments: unknown;
  /** The API reports that the message ends within this call, so that its arguments may lack their end. */
  isCut: boolean;
  /** A call of a custom tool, which takes text in place of JSON. */
  isCustom: boolean;
}

/** The content of a message in any form. */
export interface GivenMessage {
  calls: GivenCall[];
  /** The text for people. */
  responseText: string;
  /** Calls that the message has beside function calls, and that Errand does not run. */
  warnings: string[];
}

/** A message that has none of the shapes, or one that cannot be used. `path` is a JSON Pointer into the message. */
export interface MessageFault {
  path: string;
  message: string;
}

/** The objects of a list. `undefined` and `null` count as an empty list, because SDKs write absent fields as `null`. */
export function objectsIn(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The text of a content: a string, or the texts of its parts, one after another. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map(({ type, text }) => ((type === 'text' || type === 'output_text') && typeof text === 'string' ? text : ''))
    .join('');
}
