import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { passes, readRecord, type LogFilter, type LogLine, type LogRecord } from './log-record.js';

/** A longer line is cut: it could fill the memory. */
export const LONGEST_LINE = 16 * 1024 * 1024;
const CHUNK = 64 * 1024;
const LINE_BREAK = 10;

/** The last records of a file, and the position after its last whole line, in bytes. */
interface LogEnd {
  records: LogRecord[];
  position: number;
}

/**
 * Reads the last `count` matching records of a file, oldest first. It reads from the end, so the cost does not depend on the size of the
 * file unless few lines match. With `wholeLines`, a last line without a line break is left for a later read.
 */
export function readLogEnd(path: string, count: number, filter: LogFilter, wholeLines: boolean): LogEnd {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    const found: LogRecord[] = [];
    let position = size;
    for (const { start, end, isWhole } of linesFromEnd(fd, size)) {
      if (!isWhole && wholeLines) {
        position = start;
        continue;
      }
      if (found.length >= count) break;
      const record = readRecord(readLine(fd, path, start, end), NaN);
      if (passes(record, filter)) found.push(record);
    }
    return { records: withTimes(found.toReversed()), position };
  } finally {
    closeSync(fd);
  }
}

/** Gives a record without a time that of the record before it; the first ones get that of the record after them. */
function withTimes(records: readonly LogRecord[]): LogRecord[] {
  let time = records.find((record) => !Number.isNaN(record.time))?.time ?? 0;
  return records.map((record) => ({ ...record, time: (time = Number.isNaN(record.time) ? time : record.time) }));
}

function readLine(fd: number, path: string, start: number, end: number): LogLine {
  const length = Math.min(end - start, LONGEST_LINE);
  const bytes = Buffer.alloc(length);
  const read = readSync(fd, bytes, 0, length, start);
  const isCut = end - start > LONGEST_LINE;
  const text = bytes.toString('utf8', 0, read).replace(/\r$/, '');
  return { file: basename(path), text, ...(isCut && { totalBytes: end - start }) };
}

/** The places of the lines of a file, the last one first. Empty lines are left out. */
function* linesFromEnd(fd: number, size: number): Generator<{ start: number; end: number; isWhole: boolean }> {
  const chunk = Buffer.alloc(CHUNK);
  let end = size;
  let isWhole = false;
  for (let from = size; from > 0;) {
    const length = Math.min(CHUNK, from);
    from -= length;
    const read = readSync(fd, chunk, 0, length, from);
    for (
      let at = chunk.lastIndexOf(LINE_BREAK, read - 1);
      at >= 0;
      at = at > 0 ? chunk.lastIndexOf(LINE_BREAK, at - 1) : -1
    ) {
      const start = from + at + 1;
      if (start < end) yield { start, end, isWhole };
      end = from + at;
      isWhole = true;
    }
  }
  if (end > 0) yield { start: 0, end, isWhole };
}
