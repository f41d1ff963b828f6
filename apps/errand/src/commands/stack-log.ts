import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { didYouMean, isInvocationId, KnownError } from '@errand/contracts';
import { type CommandLine, UsageError } from '../command-line.js';
import { followLogs } from '../logs/follow-logs.js';
import { LEVELS, mergeByTime, type Level, type LogFilter, type LogRecord } from '../logs/log-record.js';
import { readLogEnd } from '../logs/read-log-end.js';
import { RecordWriter } from '../logs/write-records.js';
import { colour, escapeControls, say } from '../terminal.js';

interface Options {
  lines?: string;
  follow?: true;
  id?: string;
  level?: string;
  json?: true;
}

const LINES = 500;
/** Not a log of Errand: the Docker engine that `./errand up` has started. */
const FOREIGN = new Set(['dockerd.log']);

/**
 * `./errand logs`: prints the end of the log of the stack, and with --follow its new records. The logs of all processes in the data folder
 * are merged by time. Exit code 1 if this user may read no log.
 */
export async function run({ options }: CommandLine<Options>): Promise<number> {
  const { follow = false, json = false } = options;
  const filter = readFilter(options);
  const count = readCount(options.lines);
  const folder = process.env['ERRAND_DATA_DIR'] ?? '.errand';
  const files = listLogs(folder);
  if (files.length === 0) {
    say(`The log does not exist yet (${join(folder, 'errand.log')}); ./errand up writes it.`);
    return 1;
  }
  const positions = new Map<string, number>();
  const records: LogRecord[] = [];
  for (const path of files) {
    try {
      const end = readLogEnd(path, count, filter, follow);
      positions.set(path, end.position);
      records.push(...end.records);
    } catch (error) {
      notice(`cannot look: ${(error as Error).message}`);
    }
  }
  if (positions.size === 0) return 1;
  const writer = new RecordWriter(json || !process.stdout.isTTY);
  await writer.write(count === 0 ? [] : mergeByTime(records).slice(-count));
  if (follow) await followOn(writer, { folder, filter, positions });
  return 0;
}

async function followOn(
  writer: RecordWriter,
  { folder, filter, positions }: { folder: string; filter: LogFilter; positions: ReadonlyMap<string, number> },
): Promise<void> {
  const ending = new AbortController();
  // Ctrl-C is the normal end of the command, not a failure.
  process.once('SIGINT', () => ending.abort());
  const options = { filter, signal: ending.signal, listFiles: () => listLogs(folder), onNotice: notice };
  for await (const records of followLogs(positions, options)) await writer.write(records);
}

/** The log files of the data folder. Pipes and devices are left out, because a read could block. */
function listLogs(folder: string): string[] {
  const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.log') && !FOREIGN.has(name));
    return names
      .toSorted()
      .map((name) => join(folder, name))
      .filter(isFile);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') throw new KnownError(`cannot look: no permission to read ${folder}`);
    if (code !== 'ENOENT') throw error;
    return [];
  }
}

function readFilter({ level, id }: Options): LogFilter {
  if (id !== undefined && !isInvocationId(id))
    throw new UsageError(`--id must be the id of an invocation, such as inv_01j…, not '${id.slice(0, 60)}'`);
  return { ...(level !== undefined && { level: readLevel(level) }), ...(id !== undefined && { id }) };
}

function readLevel(text: string): Level {
  const level = LEVELS.find((name) => name === text.toLowerCase());
  if (level) return level;
  const near = didYouMean(text.slice(0, 60), LEVELS) ?? LEVELS.find((name) => text.toLowerCase().startsWith(name));
  throw new UsageError(
    `--level must be one of ${LEVELS.join(', ')}, not '${text.slice(0, 60)}'${near ? `, did you mean '${near}'?` : ''}`,
  );
}

function readCount(text: string | undefined): number {
  if (text === undefined) return LINES;
  if (!/^\d{1,6}$/.test(text))
    throw new UsageError(`--lines must be a whole number from 0 to 999999, not '${text.slice(0, 60)}'`);
  return Number(text);
}

const notice = (text: string) => say(colour.dim(`(${escapeControls(text)})`));
