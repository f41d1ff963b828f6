import { setTimeout as delay } from 'node:timers/promises';
import { FollowedFile } from './followed-file.js';
import { mergeByTime, passes, readRecord, type LogFilter, type LogRecord } from './log-record.js';

const POLL_MS = 200;
/** A process may write to a file for a while after the file was renamed. So often such a file is read without a new line. */
const LAST_READS = 25;

/** What the reader of a log learns beside its records. */
interface FollowOptions {
  filter: LogFilter;
  /** The log files that exist now. New files are read from their beginning. */
  listFiles: () => readonly string[];
  /** A file was rotated or truncated, or cannot be read. */
  onNotice: (text: string) => void;
  signal: AbortSignal;
}

/** The state of one path: its present file, and renamed files that may still grow. */
interface Followed {
  current: FollowedFile;
  retired: { file: FollowedFile; emptyReads: number }[];
  lastTime: number;
}

/**
 * Yields the new records of log files, merged by time, until `signal` aborts. A rotated file is read to its end, and its successor from
 * the beginning. `positions` says where to begin in each file, in bytes.
 */
export async function* followLogs(
  positions: ReadonlyMap<string, number>,
  { filter, listFiles, onNotice, signal }: FollowOptions,
): AsyncGenerator<LogRecord[]> {
  const followed = new Map<string, Followed>();
  const unreadable = new Set<string>();
  const truncated = (file: string) => onNotice(`${file} was truncated`);
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    for (const path of listFiles()) {
      if (followed.has(path) || unreadable.has(path)) continue;
      try {
        const position = isFirst ? (positions.get(path) ?? 0) : 0;
        followed.set(path, { current: new FollowedFile(path, position, truncated), retired: [], lastTime: 0 });
      } catch (error) {
        unreadable.add(path);
        onNotice(`cannot look: ${(error as Error).message}`);
      }
    }
    const records = [...followed.values()].flatMap((one) => readNew(one, onNotice, truncated));
    const shown = mergeByTime(records.filter((record) => passes(record, filter)));
    if (shown.length > 0) yield shown;
    if (records.length === 0) await delay(POLL_MS, undefined, { signal }).catch(() => {});
  }
  for (const { current, retired } of followed.values())
    for (const file of [current, ...retired.map((old) => old.file)]) file.close();
}

function readNew(one: Followed, onNotice: (text: string) => void, onTruncated: (file: string) => void): LogRecord[] {
  const lines = one.retired.flatMap((old) => {
    const rest = old.file.read();
    old.emptyReads = rest.length > 0 ? 0 : old.emptyReads + 1;
    return rest;
  });
  for (const { file } of one.retired.filter((old) => old.emptyReads >= LAST_READS)) file.close();
  one.retired = one.retired.filter((old) => old.emptyReads < LAST_READS);
  // The question comes before the read: what was written before the rotation is read now, and the rest as of a retired file.
  const isReplaced = one.current.isReplaced;
  lines.push(...one.current.read());
  if (isReplaced) replace(one, onNotice, onTruncated);
  return lines.map((line) => {
    const record = readRecord(line, one.lastTime);
    one.lastTime = record.time;
    return record;
  });
}

function replace(one: Followed, onNotice: (text: string) => void, onTruncated: (file: string) => void): void {
  const { path } = one.current;
  try {
    const next = new FollowedFile(path, 0, onTruncated);
    one.retired.push({ file: one.current, emptyReads: 0 });
    one.current = next;
    onNotice(`${path} was rotated; the new file follows`);
  } catch (error) {
    // The next file may be removed or closed to this user already. The next read asks again.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onNotice(`cannot look: ${(error as Error).message}`);
  }
}
