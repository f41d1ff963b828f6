import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { LogLine } from './log-record.js';
import { LONGEST_LINE } from './read-log-end.js';

const CHUNK = 1024 * 1024;
/** The most bytes of one read, so that the memory stays bounded. The next read continues. */
const MOST_BYTES = 16 * CHUNK;
const LINE_BREAK = 10;

/** A log file that is read while processes write to it. `read` returns its new lines. */
export class FollowedFile {
  private fd: number;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private totalBytes = 0;

  /** @param position where to begin, in bytes */
  constructor(
    readonly path: string,
    private position: number,
    private readonly onTruncated: (file: string) => void,
  ) {
    this.fd = openSync(path, 'r');
  }

  /** Whether the path names another file now: the log was rotated. */
  get isReplaced(): boolean {
    const now = statSync(this.path, { throwIfNoEntry: false });
    if (!now) return false;
    const { ino, dev } = fstatSync(this.fd);
    return now.ino !== ino || now.dev !== dev;
  }

  /** The lines that were completed since the last call. A file that is shorter than before is read from its beginning. */
  read(): LogLine[] {
    if (fstatSync(this.fd).size < this.position) {
      this.position = 0;
      this.forget();
      this.onTruncated(basename(this.path));
    }
    const lines: LogLine[] = [];
    const chunk = Buffer.alloc(CHUNK);
    for (let taken = 0; taken < MOST_BYTES;) {
      const length = readSync(this.fd, chunk, 0, CHUNK, this.position);
      if (length === 0) break;
      this.position += length;
      taken += length;
      this.split(chunk.subarray(0, length), lines);
    }
    return lines;
  }

  close(): void {
    closeSync(this.fd);
  }

  private split(chunk: Buffer, lines: LogLine[]): void {
    let from = 0;
    for (let at = chunk.indexOf(LINE_BREAK); at !== -1; at = chunk.indexOf(LINE_BREAK, from)) {
      this.keep(chunk.subarray(from, at));
      if (this.totalBytes > 0) lines.push(this.takeLine());
      from = at + 1;
    }
    this.keep(chunk.subarray(from));
  }

  /** Keeps the part of a line that fits into the limit. */
  private keep(part: Buffer): void {
    this.totalBytes += part.length;
    const kept = Buffer.from(part.subarray(0, LONGEST_LINE - this.pendingBytes));
    if (kept.length === 0) return;
    this.pending.push(kept);
    this.pendingBytes += kept.length;
  }

  private takeLine(): LogLine {
    const text = Buffer.concat(this.pending).toString('utf8').replace(/\r$/, '');
    const isCut = this.totalBytes > LONGEST_LINE;
    const line = { file: basename(this.path), text, ...(isCut && { totalBytes: this.totalBytes }) };
    this.forget();
    return line;
  }

  private forget(): void {
    this.pending = [];
    this.pendingBytes = this.totalBytes = 0;
  }
}
