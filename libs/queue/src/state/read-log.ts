import type { LogLine, LogPage } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { readEvents, type LogEvent } from './event-log.js';

/** What a reader wants of a log. */
export interface LogFilter {
  /** Only lines behind the one with this number. */
  after: number;
  step?: number | undefined;
  /** Only lines with this text, whatever its case. */
  text?: string | undefined;
}

/** Entries of the log and events in one read. An entry has at least one line, and about 500 in a long log. */
const ENTRIES = 4;
const EVENTS = 200;

/** The number of the last line that was read, and of the event up to which all lines were read; undefined in the middle of an entry. */
interface Position {
  line: number;
  event: number | undefined;
}

type Entry = [id: string, fields: string[]];

/**
 * A page of at most `limit` lines. It reads small groups of lines, so that a search in a long log blocks neither Redis nor this process.
 * Memory: the page, and one group.
 */
export async function readLogPage(queues: Queues, id: string, filter: LogFilter, limit: number): Promise<LogPage> {
  const items: LogLine[] = [];
  let isMore = false;
  for await (const lines of readLogLines(queues, id, filter)) {
    items.push(...lines.slice(0, limit - items.length + 1));
    isMore = items.length > limit;
    if (isMore) break;
  }
  if (isMore) items.pop();
  const [total, firstKept] = await Promise.all([countLines(queues, id), readFirstKept(queues, id)]);
  const last = items.at(-1);
  return { items, total, firstKept, nextCursor: isMore && last ? String(last.n) : null };
}

/**
 * Reads the lines that fit, in groups and in order. Older lines are in the log of the invocation (`move-log.lua`), the others are among its
 * events. Each round reads events first and the log second: if events have moved to the log in between, it takes the lines from there.
 */
export async function* readLogLines(queues: Queues, id: string, filter: LogFilter): AsyncGenerator<LogLine[]> {
  const { after } = filter;
  const fits = filterOf(filter);
  const mayFit = entryFilterOf(filter);
  const end = await readMovedEnd(queues, id);
  let position: Position = after < end.line ? { line: after, event: undefined } : end;
  for (;;) {
    const { line, event } = position;
    const [events, entries] = await Promise.all([
      event === undefined ? [] : readEvents(queues, id, event, EVENTS),
      readEntries(queues, id, position),
    ]);
    const lines = entries.length > 0 ? entries.filter(mayFit).flatMap(linesOfEntry) : numbered(events, line);
    const found = lines.filter((each) => each.n > Math.max(line, after) && fits(each));
    if (found.length > 0) yield found;
    const [lastEntry, lastEvent] = [entries.at(-1), events.at(-1)];
    if (lastEntry) position = endOfEntry(lastEntry);
    else if (lastEvent) position = { line: lines.at(-1)?.n ?? line, event: lastEvent.number };
    else return;
  }
}

/** The number of the last line. */
async function countLines(queues: Queues, id: string): Promise<number> {
  let { line } = await readMovedEnd(queues, id);
  for await (const lines of readLogLines(queues, id, { after: line })) line = lines.at(-1)?.n ?? line;
  return line;
}

/** The number of the first line that is kept; 1 for an empty log. */
async function readFirstKept({ redis }: Queues, id: string): Promise<number> {
  const [first] = await redis.xrange(keysOf(redis).log(id), '-', '+', 'COUNT', 1);
  return first ? (linesOfEntry(first)[0]?.n ?? 1) : 1;
}

/** The end of the log, behind which lines are among the events. */
async function readMovedEnd({ redis }: Queues, id: string): Promise<Required<Position>> {
  const [last] = await redis.xrevrange(keysOf(redis).log(id), '+', '-', 'COUNT', 1);
  return last ? endOfEntry(last) : { line: 0, event: 0 };
}

function readEntries({ redis }: Queues, id: string, { line, event }: Position): Promise<Entry[]> {
  const from = event === undefined ? `${line + 1}-0` : `(${line}-${event}`;
  return redis.xrange(keysOf(redis).log(id), from, '+', 'COUNT', ENTRIES);
}

function endOfEntry([id]: Entry): Position {
  const [line = 0, event = 0] = id.split('-').map(Number);
  return { line, event };
}

function linesOfEntry(entry: Entry): LogLine[] {
  const [, [, text = '']] = entry;
  const events = JSON.parse(`[${text}]`) as LogEvent[];
  const first = endOfEntry(entry).line - events.length + 1;
  return events.map((event, index) => toLine(first + index, event));
}

/** The lines among these events. `line` is the number of the line before them. */
function numbered(events: Awaited<ReturnType<typeof readEvents>>, line: number): LogLine[] {
  return events.flatMap(({ event }) => (event.event === 'log' ? [toLine(++line, event)] : []));
}

function toLine(n: number, { at, step, stream, line }: LogEvent): LogLine {
  return { n, at, step, stream, line };
}

/** A search leaves out entries without the text before it parses them, if the text is the same in JSON. */
function entryFilterOf({ text = '' }: LogFilter): (entry: Entry) => boolean {
  const wanted = text.toLowerCase();
  if (!/^[ !#-[\]-~]+$/.test(text)) return () => true;
  return ([, [, lines = '']]) => lines.toLowerCase().includes(wanted);
}

function filterOf({ step, text }: LogFilter): (line: LogLine) => boolean {
  const wanted = text?.toLowerCase();
  return (line) =>
    (step === undefined || line.step === step) && (wanted === undefined || line.line.toLowerCase().includes(wanted));
}
