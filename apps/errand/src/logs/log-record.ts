import { isObject } from '@errand/contracts';

/** The levels of log records, from the least to the most important. */
export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type Level = (typeof LEVELS)[number];

/** The end of the year 9999 in ms. A later time is ignored. */
const LATEST = 253_402_300_799_999;

/** One line of a log file. */
export interface LogLine {
  /** The name of the file. */
  file: string;
  /** The line without its line break, or the beginning of a line that is too long. */
  text: string;
  /** The length of the whole line in bytes, if `text` is only its beginning. */
  totalBytes?: number;
}

/** One line of a log. A line without a JSON object has neither fields nor a level. */
export interface LogRecord extends LogLine {
  /** In ms. A line without a time has that of the line before it in its file. */
  time: number;
  level?: Level;
  fields?: Record<string, unknown>;
}

/** The records to show. */
export interface LogFilter {
  /** The least important level. A line without a level is always shown, because it can be a crash. */
  level?: Level;
  /** The id of an invocation, which the line must contain. */
  id?: string;
}

/** Reads a line. `timeBefore` is the time of the line before it in the file, in ms. */
export function readRecord(line: LogLine, timeBefore: number): LogRecord {
  const fields = line.totalBytes === undefined ? parseFields(line.text) : undefined;
  if (!fields) return { ...line, time: timeBefore };
  const time = typeof fields['time'] === 'string' ? Date.parse(fields['time']) : Number(fields['time'] ?? NaN);
  const level = LEVELS.find((name) => name === fields['level']);
  return { ...line, fields, time: time > 0 && time <= LATEST ? time : timeBefore, ...(level && { level }) };
}

export function passes({ text, level }: Pick<LogRecord, 'text' | 'level'>, filter: LogFilter): boolean {
  if (filter.level && level && LEVELS.indexOf(level) < LEVELS.indexOf(filter.level)) return false;
  return filter.id === undefined || names(text, filter.id);
}

function parseFields(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text contains an id that does not continue: an id may be the beginning of another one. */
function names(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at !== -1; at = text.indexOf(id, at + 1))
    if (!/[a-z0-9]/i.test(text.charAt(at + id.length))) return true;
  return false;
}

/** Sorts records of several files by time. Records of one file with the same time keep their order. */
export function mergeByTime(records: readonly LogRecord[]): LogRecord[] {
  return records.toSorted((a, b) => a.time - b.time);
}
