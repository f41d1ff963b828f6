import { ToolError } from '@errand/contracts';
import { BOUNDS } from './limits.js';
import type { RunHooks } from './sandbox-spec.js';

const NEWLINE = 10;
const CUT = ' … [line cut]';
const PROGRESS = /^::progress (\d*\.?\d+)(?: (.*))?$/s;

/**
 * Turns the bytes of a script's stderr into lines for its listeners, within bounds (see BOUNDS): long lines are cut, what
 * exceeds the kept size is counted and dropped, a flood ends the run. Holds one line and the tail, whatever comes.
 */
export class LogReader {
  /** Whether the supervisor's end mark has come. */
  ended = false;
  private line = Buffer.alloc(0);
  private lineLength = 0;
  private total = 0;
  private kept = 0;
  private dropped = 0;
  /** The end mark is preceded by an empty line, which may not be the script's own. */
  private heldBlank = false;
  private batch: string[] = [];
  private progress: { value: number; message?: string } | undefined;
  private readonly lastLines: string[] = [];

  constructor(
    private readonly nonce: string,
    private readonly hooks: Pick<RunHooks, 'onLog' | 'onProgress'>,
  ) {}

  /** The last lines, shortened: what an error shows. */
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
    if (this.total > BOUNDS.logFloodBytes) {
      const limit = `${BOUNDS.logFloodBytes / 1024 / 1024} MiB`;
      throw new ToolError('ResourceLimitError', `The script wrote more than ${limit} of log to stderr and was ended`, {
        limit: 'log',
        bytes: BOUNDS.logFloodBytes,
      });
    }
  }

  /** Passes on what is still held; says how many lines were dropped. */
  finish(): void {
    if (!this.ended && this.lineLength > 0) this.endLine();
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
    if (room > 0 && piece.length > 0) this.line = Buffer.concat([this.line, piece.subarray(0, room)]);
  }

  private endLine(): void {
    const line = this.line.toString('utf8') + (this.lineLength > this.line.length ? CUT : '');
    this.line = Buffer.alloc(0);
    this.lineLength = 0;
    if (line === this.nonce) {
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
