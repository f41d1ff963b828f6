import { ToolError } from '@errand/contracts';
import type { Request } from './request.js';
import { BOUNDS } from '../limits.js';
import type { RunHooks } from '../sandbox-run.js';

const NEWLINE = 10;
const EMPTY = Buffer.alloc(0);
const CUT = ' … [line cut]';
/**
 * A number as languages print it, also a very small one (1e-05). A line may end with CRLF. No digit can belong to two parts of the pattern, and
 * each part is short: otherwise a line of digits would take quadratic time.
 */
const PROGRESS = /^::progress ((?:\d{1,20}(?:\.\d{1,20})?|\.\d{1,20})(?:e[+-]?\d{1,3})?)(?: (.*?))?\r?$/s;

/**
 * Turns the bytes of a script's stderr into log lines and progress, within BOUNDS. It cuts long lines, counts and drops
 * lines above the kept size, and throws on a flood. It holds only one line and the last lines.
 *
 * - Before the begin mark, it drops all lines: they are not of this run.
 * - Between the marks, it passes the lines of the script on.
 * - After the end mark, it ignores everything.
 */
export class LogReader {
  /** Whether the end mark of the supervisor has come. */
  ended = false;
  /** Whether the begin mark has come. */
  begun = false;
  private line: Buffer = EMPTY;
  private lineLength = 0;
  private total = 0;
  private lines = 0;
  private kept = 0;
  private dropped = 0;
  /** An empty line is held back, because the supervisor writes one before the end mark. */
  private heldBlank = false;
  private batch: string[] = [];
  private progress: { value: number; message?: string } | undefined;
  private readonly lastLines: string[] = [];

  constructor(
    private readonly marks: Pick<Request, 'begin' | 'nonce'>,
    private readonly hooks: Pick<RunHooks, 'onLog' | 'onProgress'>,
  ) {}

  /** The last lines, shortened, for the details of an error. */
  get tail(): string[] {
    return [...this.lastLines];
  }

  /** @throws ToolError ResourceLimitError when the script floods its log */
  push(bytes: Buffer): void {
    if (this.ended) return;
    this.total += bytes.length;
    for (let start = 0; start < bytes.length && !this.ended;) {
      const newline = bytes.indexOf(NEWLINE, start);
      const end = newline < 0 ? bytes.length : newline;
      this.extend(bytes.subarray(start, end));
      if (newline >= 0) this.endLine();
      start = end + 1;
    }
    this.flush();
    if (this.total > BOUNDS.logFloodBytes || this.lines > BOUNDS.logFloodLines) throw flooded();
  }

  /** Passes on the last held line, and the number of dropped lines. */
  finish(): void {
    if (!this.ended && this.begun && this.lineLength > 0) this.endLine();
    this.ended = true;
    if (this.dropped > 0) {
      this.batch.push(
        `[errand] ${this.dropped} further log lines dropped: only ${BOUNDS.logKeptBytes / 1024} KiB are kept`,
      );
      this.dropped = 0;
    }
    this.flush();
  }

  private extend(piece: Buffer): void {
    this.lineLength += piece.length;
    const room = BOUNDS.logLineBytes - this.line.length;
    if (room <= 0 || piece.length === 0) return;
    const kept = piece.subarray(0, room);
    this.line = this.line.length === 0 ? kept : Buffer.concat([this.line, kept]);
  }

  private endLine(): void {
    const line = this.line.toString('utf8') + (this.lineLength > this.line.length ? CUT : '');
    this.line = EMPTY;
    this.lineLength = 0;
    this.lines++;
    if (!this.begun) {
      this.begun = line === this.marks.begin;
      return;
    }
    if (line === this.marks.nonce) {
      this.ended = true;
      return;
    }
    if (this.heldBlank) this.keep('');
    this.heldBlank = line === '';
    if (!this.heldBlank && !this.isProgress(line)) this.keep(line);
  }

  private isProgress(line: string): boolean {
    const match = PROGRESS.exec(line);
    if (match === null) return false;
    this.progress = { value: Math.min(Number(match[1]), 1), ...(match[2] !== undefined && { message: match[2] }) };
    return true;
  }

  private keep(line: string): void {
    this.lastLines.push(line.slice(0, BOUNDS.tailLineCharacters));
    if (this.lastLines.length > BOUNDS.tailLines) this.lastLines.shift();
    const size = Buffer.byteLength(line) + 1;
    if (this.dropped > 0 || this.kept + size > BOUNDS.logKeptBytes) {
      this.dropped++;
      return;
    }
    this.kept += size;
    this.batch.push(line);
  }

  private flush(): void {
    const { batch, progress } = this;
    this.batch = [];
    this.progress = undefined;
    if (batch.length > 0) this.hooks.onLog(batch);
    if (progress) this.hooks.onProgress?.(progress.value, progress.message);
  }
}

function flooded(): ToolError {
  const { logFloodBytes: bytes, logFloodLines: lines } = BOUNDS;
  const message = `The script wrote more than ${bytes / 1024 / 1024} MiB or ${lines} lines of log to stderr and was ended`;
  return new ToolError('ResourceLimitError', message, { limit: 'log', bytes, lines });
}
