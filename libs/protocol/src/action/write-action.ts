import type { Call, Json, JsonObject } from '@errand/contracts';
import { holdsCdata } from './read-cdata.js';

/**
 * Writes calls as an ACTION block, for prompts, docs and tests. It parses to the same calls if the schemas of the tools
 * set types. A null is written as JSON, so the schema must allow it. An empty list or object without a declared type
 * reads as an empty text. Values without a type are written as JSON inside lists and objects.
 */
export function writeAction(calls: readonly Call[]): string {
  return ['<ACTION>', ...calls.map(writeCall), '</ACTION>'].join('\n');
}

function writeCall({ toolId, arguments: args }: Call): string {
  const parameters = Object.entries(args).map(([name, value]) => `    ${writeElement(name, value)}\n`);
  return parameters.length === 0 ? `  <${toolId} />` : `  <${toolId}>\n${parameters.join('')}  </${toolId}>`;
}

/** One value as an element. */
export function writeElement(name: string, value: Json): string {
  return `<${name}>${writeValue(value)}</${name}>`;
}

/** Writes lists and objects as tags if every name in them can be a tag, else as JSON. */
function writeValue(value: Json): string {
  if (typeof value === 'string') return writeString(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (!canBeTags(value)) return writeString(JSON.stringify(value));
  if (Array.isArray(value)) return value.map((item) => writeElement('item', item)).join('');
  return Object.entries(value)
    .map(([name, item]) => writeElement(name, item))
    .join('');
}

function canBeTags(value: JsonObject | Json[]): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item !== 'object' || item === null || canBeTags(item));
  const entries = Object.entries(value);
  return entries.every(([name, item]) => {
    const isName = /^[\p{L}_][^\s<>="'/&]*$/u.test(name) && name !== 'item';
    return isName && (typeof item !== 'object' || item === null || canBeTags(item));
  });
}

function writeString(value: string): string {
  const isPlain = value === value.trim() && !/[<>&\n\r]/.test(value) && !holdsCdata(value);
  if (isPlain) return value;
  return writeCdata(value);
}

/**
 * Reading CDATA removes one line break at each end, so one is added if the text has its own. Marks in the text are
 * split over two sections.
 */
function writeCdata(value: string): string {
  const front = /^\r?\n/.test(value) ? '\n' : '';
  const back = /\n[ \t]*$/.test(value) ? '\n' : '';
  const split = (front + value + back).replace(/<!\[CDATA\[|\]\]>/g, (mark) =>
    mark === ']]>' ? ']]]]><![CDATA[>' : '<!]]><![CDATA[[CDATA[',
  );
  return `<![CDATA[${split}]]>`;
}
