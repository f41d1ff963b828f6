import { isObject, ToolError } from '@errand/contracts';
import { BOUNDS } from './limits.js';

const READY = 'ready\n';
const MAX_HEADER = 64 * 1024;

/** How a script ended, as its supervisor saw it. */
export interface Report {
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  /** Its stdout was cut off at the limit. */
  overflow: boolean;
  /** Processes that the kernel killed for want of memory. */
  oomKills: number;
  /** Times that a new process or thread was refused. */
  refusedForks: number;
  peakMemoryKb: number;
  /** The uncaught exception, where the language has told one; `code` as in `ENOSPC`. */
  exception: { type: string; message: string; code?: string } | null;
}

export interface Answer {
  report: Report;
  stdout: Buffer;
}

/**
 * Reads what a supervisor writes: `ready`, then one line of JSON, then the script's stdout.
 * Holds no more than the answer may be long.
 */
export class AnswerReader {
  ready = false;
  answer: Answer | undefined;
  private chunks: Buffer[] = [];
  private length = 0;
  private awaited = READY.length;
  private header: Record<string, unknown> | undefined;

  /**
   * @param nonce what only runner and supervisor know
   * @param outputBytes how much of a script's stdout the supervisor was told to pass on
   */
  constructor(
    private readonly nonce: string,
    private readonly outputBytes: number,
  ) {}

  /**
   * @throws ToolError SecurityError when this is not what a supervisor writes: somebody else wrote
   * @throws ToolError ServiceError, ResourceLimitError when the supervisor could not set the run up
   */
  push(bytes: Buffer): void {
    this.chunks.push(bytes);
    this.length += bytes.length;
    if (this.length > this.outputBytes + MAX_HEADER) throw tampered('more than it may');
    if (this.length < this.awaited) return;
    let held: Buffer = Buffer.concat(this.chunks);
    if (!this.ready) held = this.readReady(held);
    if (held.length >= this.awaited) held = this.readFrame(held);
    this.chunks = [held];
    this.length = held.length;
  }

  private readReady(held: Buffer): Buffer {
    if (held.toString('utf8', 0, READY.length) !== READY) throw tampered('no greeting');
    this.ready = true;
    this.awaited = 1;
    return held.subarray(READY.length);
  }

  private readFrame(held: Buffer): Buffer {
    if (this.header === undefined) {
      const end = held.indexOf('\n') + 1;
      if (end === 0 && held.length <= MAX_HEADER) return held;
      this.header = readHeader(held.subarray(0, end), this.nonce);
      this.awaited = Number(this.header.stdoutBytes);
      held = held.subarray(end);
    }
    if (held.length > this.awaited || this.answer) throw tampered('more than it announced');
    if (held.length === this.awaited) this.answer = { report: toReport(this.header), stdout: held };
    return held;
  }
}

function readHeader(line: Buffer, nonce: string): Record<string, unknown> {
  let header: unknown;
  try {
    header = JSON.parse(line.toString());
  } catch (cause) {
    throw tampered('no JSON', cause);
  }
  if (!isObject(header) || header.nonce !== nonce) throw tampered('an answer that is not its own');
  if (!Number.isSafeInteger(header.stdoutBytes)) throw tampered('no length');
  if (typeof header.fault === 'string') throw setupFailed(header.fault, header.code);
  return header;
}

function setupFailed(fault: string, code: unknown): ToolError {
  if (code !== 'ENOSPC') return new ToolError('ServiceError', `The sandbox could not set the script up: ${fault}`);
  const message = `The script's folder has more than ${BOUNDS.scriptMb} MB or ${BOUNDS.inodes} files`;
  return new ToolError('ResourceLimitError', message, { limit: 'scriptMb', scriptMb: BOUNDS.scriptMb });
}

/** Field by field: the supervisor shares its user with the script. */
function toReport(header: Record<string, unknown>): Report {
  const { exitCode, signal, exception } = header;
  return {
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    signal: typeof signal === 'string' ? signal : null,
    timedOut: header.timedOut === true,
    overflow: header.overflow === true,
    oomKills: Number(header.oomKills) || 0,
    refusedForks: Number(header.refusedForks) || 0,
    peakMemoryKb: Number(header.peakMemoryKb) || 0,
    exception: isObject(exception) ? toException(exception) : null,
  };
}

function toException({ type, message, code }: Record<string, unknown>): Report['exception'] {
  if (typeof type !== 'string' || typeof message !== 'string') return null;
  return { type, message, ...(typeof code === 'string' && { code }) };
}

function tampered(how: string, cause?: unknown): ToolError {
  const message = `The script's supervisor wrote ${how}: the script has tampered with it, so its result cannot be trusted`;
  return new ToolError('SecurityError', message, undefined, { cause });
}
