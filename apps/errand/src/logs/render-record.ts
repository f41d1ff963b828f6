import { isObject } from '@errand/contracts';
import { colour, escapeControls } from '../terminal.js';
import type { Level, LogRecord } from './log-record.js';

const MOST_VALUE_CHARS = 2_000;
const MOST_STACK_LINES = 30;
const MOST_FIELDS = 50;
/** The fields that have a place of their own in a line. */
const PLACED = new Set(['time', 'level', 'app', 'msg', 'err']);

const PAINT: Readonly<Record<Level, (text: string) => string>> = {
  trace: colour.dim,
  debug: colour.dim,
  info: colour.green,
  warn: colour.yellow,
  error: colour.red,
  fatal: colour.red,
};

/**
 * A record for a terminal: `01:53:08.123 info  worker  accepted  tool=core:echo`, in UTC, and the stack of an error in lines below. No
 * character of the record controls the terminal, begins a line or changes the direction of text.
 */
export function renderForTerminal({ fields, level, time, text, totalBytes }: LogRecord): string {
  const clock = colour.dim(time > 0 ? new Date(time).toISOString().slice(11, 23) : ' '.repeat(12));
  if (!fields) return `${clock} ${cut(text, totalBytes)}`;
  const shown = level ? PAINT[level](level.padEnd(5)) : oneLine(textOf(fields['level'] ?? '').slice(0, 5)).padEnd(5);
  const app = cut(textOf(fields['app'] ?? ''));
  const message = cut(textOf(fields['msg'] ?? ''));
  const rest = Object.entries(fields).filter(([name]) => !PLACED.has(name));
  const pairs = rest
    .slice(0, MOST_FIELDS)
    .map(([name, value]) => `${colour.dim(`${cut(name)}=`)}${cut(valueText(value))}`);
  const more = rest.length > MOST_FIELDS ? [`… ${rest.length - MOST_FIELDS} more fields`] : [];
  const parts = [clock, shown, ...(app === '' ? [] : [colour.bold(app)]), message, ...pairs, ...more];
  return [parts.join(' '), ...errorLines(fields['err'])].join('\n');
}

/** The day of a record in UTC, for a heading where it changes. Undefined for a record without a time. */
export function dayOf({ time }: LogRecord): string | undefined {
  return time > 0 ? new Date(time).toISOString().slice(0, 10) : undefined;
}

/** A record as one line of JSON. A line without a JSON object becomes one, so that programs can read every line. */
export function renderAsJson({ file, text, time, fields, totalBytes }: LogRecord): string {
  const line = fields
    ? text
    : JSON.stringify({
        ...(time > 0 && { time: new Date(time).toISOString() }),
        file,
        msg: text,
        ...(totalBytes !== undefined && { totalBytes }),
      });
  // JSON escapes other control characters itself.
  return line.replaceAll(/[\u007f-\u009f]/g, codeOf);
}

function errorLines(error: unknown): string[] {
  if (error === undefined) return [];
  const stack = isObject(error) ? (error['stack'] ?? error['message'] ?? JSON.stringify(error)) : error;
  const lines = textOf(stack).split('\n');
  const more = lines.length > MOST_STACK_LINES ? [`… ${lines.length - MOST_STACK_LINES} more lines`] : [];
  return [...lines.slice(0, MOST_STACK_LINES), ...more].map((line) => `    ${colour.dim(cut(line))}`);
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function valueText(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : (JSON.stringify(value) ?? '');
}

/** The beginning of a text in one line, with the length of the whole. */
function cut(text: string, totalBytes?: number): string {
  if (text.length <= MOST_VALUE_CHARS && totalBytes === undefined) return oneLine(text);
  const length = totalBytes === undefined ? `${text.length} characters` : `${totalBytes} bytes`;
  return `${oneLine(text.slice(0, MOST_VALUE_CHARS))}… (${length} in all)`;
}

function oneLine(text: string): string {
  return escapeControls(text)
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll(/[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, codeOf);
}

function codeOf(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
