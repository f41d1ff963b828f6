import { isObject, ToolError } from '@errand/contracts';
import type { Request } from './request.js';
import { BOUNDS } from '../limits.js';

const MAX_HEADER = 64 * 1024;

const OUTGOING_BOUNDS = ['files', 'bytes', 'depth'] as const;
/** The bounds of the files that a script returns. */
export type OutgoingBound = (typeof OUTGOING_BOUNDS)[number];

/** The end of a script, as its supervisor reports it. */
export interface RunReport {
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  /** It was ended because it used more CPU time than its limit. */
  cpuExceeded: boolean;
  /** It was ended because it requested processes or threads again and again at its limit. */
  forksExceeded: boolean;
  /** Its stdout was cut at the limit. */
  overflow: boolean;
  /** Number of processes that the kernel killed because memory ran out. */
  oomKills: number;
  /** Number of refused processes and threads; null if the container runtime does not count them. */
  refusedForks: number | null;
  peakMemoryKb: number;
  /** The uncaught exception, if the language reported one; `code` as in `ENOSPC`. */
  exception: { type: string; message: string; code?: string } | null;
  /** The bound that the returned files exceed, and the names that were left out because they are not regular files. */
  outgoing?: { exceeded: OutgoingBound | null; leftOut: string[] };
}

export interface RunResponse {
  report: RunReport;
  stdout: Buffer;
  /** The files that it returned, as a tar archive, if there are any. */
  archive?: Buffer;
}

/**
 * Reads the response of a supervisor to one run: a line of JSON, the script's stdout, the archive, and then the ready line
 * if the container serves another run. It holds at most the maximum length of a response.
 */
export class ResponseReader {
  response: RunResponse | undefined;
  /** Whether the supervisor is ready for another run. */
  again = false;
  private chunks: Buffer[] = [];
  private length = 0;
  /** Reading continues when this many bytes are here. */
  private awaited = 1;
  private header: Record<string, unknown> | undefined;

  constructor(
    private readonly request: Pick<Request, 'nonce' | 'token'>,
    private readonly outputBytes: number,
    private readonly artifactBytes = 0,
  ) {}

  /**
   * @throws ToolError SecurityError if no honest supervisor writes these bytes
   * @throws ToolError ServiceError, ResourceLimitError if the supervisor could not set the run up
   */
  push(bytes: Buffer): void {
    this.chunks.push(bytes);
    this.length += bytes.length;
    if (this.length > this.outputBytes + archiveBound(this.artifactBytes) + MAX_HEADER)
      throw untrustedSupervisor('more than the limit');
    if (this.length < this.awaited) return;
    let held: Buffer = Buffer.concat(this.chunks);
    held = this.response ? held : this.readFrame(held);
    if (this.response && held.length > 0) held = this.readReadyLine(held);
    this.chunks = [held];
    this.length = held.length;
  }

  private readFrame(held: Buffer): Buffer {
    if (this.header === undefined) {
      const end = held.indexOf('\n') + 1;
      if (end === 0 && held.length <= MAX_HEADER) return held;
      this.header = readHeader(held.subarray(0, end), this.request.nonce);
      this.awaited = Number(this.header.stdoutBytes) + (Number(this.header.archiveBytes) || 0);
      held = held.subarray(end);
    }
    if (held.length < this.awaited) return held;
    const printed = Number(this.header.stdoutBytes);
    const archive = held.subarray(printed, this.awaited);
    const stdout = held.subarray(0, printed);
    this.response = { report: toReport(this.header), stdout, ...(archive.length > 0 && { archive }) };
    const rest = held.subarray(this.awaited);
    this.awaited = 1;
    return rest;
  }

  private readReadyLine(held: Buffer): Buffer {
    const readyLine = this.request.token === undefined ? '' : `ready ${this.request.token}\n`;
    const received = held.toString('latin1');
    if (this.again || !readyLine.startsWith(received)) throw untrustedSupervisor('more than it announced');
    this.again = received === readyLine;
    return held;
  }
}

/** A tar archive has additional blocks for each of at most 256 files. */
function archiveBound(artifactBytes: number): number {
  return artifactBytes === 0 ? MAX_HEADER : artifactBytes + 1024 * 1024;
}

function readHeader(line: Buffer, nonce: string): Record<string, unknown> {
  let header: unknown;
  try {
    header = JSON.parse(line.toString());
  } catch (cause) {
    throw untrustedSupervisor('invalid JSON', cause);
  }
  if (!isObject(header) || header.nonce !== nonce) throw untrustedSupervisor('a response with a wrong nonce');
  if (!Number.isSafeInteger(header.stdoutBytes)) throw untrustedSupervisor('a response without a length');
  if (typeof header.fault === 'string') throw setupFailed(header.fault, header.code);
  return header;
}

function setupFailed(fault: string, code: unknown): ToolError {
  if (code !== 'ENOSPC') return new ToolError('ServiceError', `The sandbox could not set the script up: ${fault}`);
  const message = `The script's folder has more than ${BOUNDS.scriptMb} MB or ${BOUNDS.inodes} files`;
  return new ToolError('ResourceLimitError', message, { limit: 'scriptMb', scriptMb: BOUNDS.scriptMb });
}

/** Checks each field, because the supervisor of a container for one run has the script's user. */
function toReport(header: Record<string, unknown>): RunReport {
  const { exitCode, signal, exception } = header;
  return {
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    signal: typeof signal === 'string' ? signal : null,
    timedOut: header.timedOut === true,
    cpuExceeded: header.cpuExceeded === true,
    forksExceeded: header.forksExceeded === true,
    overflow: header.overflow === true,
    oomKills: Number(header.oomKills) || 0,
    refusedForks: header.refusedForks === null ? null : Number(header.refusedForks) || 0,
    peakMemoryKb: Number(header.peakMemoryKb) || 0,
    exception: isObject(exception) ? toException(exception) : null,
    ...(isObject(header.outgoing) && { outgoing: toOutgoing(header.outgoing) }),
  };
}

function toOutgoing({ exceeded, leftOut }: Record<string, unknown>): RunReport['outgoing'] {
  return {
    exceeded: OUTGOING_BOUNDS.find((bound) => bound === exceeded) ?? null,
    leftOut: Array.isArray(leftOut) ? leftOut.filter((name) => typeof name === 'string').slice(0, 20) : [],
  };
}

function toException({ type, message, code }: Record<string, unknown>): RunReport['exception'] {
  if (typeof type !== 'string' || typeof message !== 'string') return null;
  return { type, message, ...(typeof code === 'string' && { code }) };
}

/** @param how the data that no honest supervisor writes, as in "invalid JSON" */
export function untrustedSupervisor(how: string, cause?: unknown): ToolError {
  const message = `The script's supervisor wrote ${how}: the script has tampered with it, so its result cannot be trusted`;
  return new ToolError('SecurityError', message, undefined, { cause });
}
