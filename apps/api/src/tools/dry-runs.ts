import type { ParseResult } from '@errand/protocol';
import { ThreadMemoryError, ThreadPool, ThreadTimeoutError } from '@errand/threads';
import { Injectable } from '@nestjs/common';
import { join } from 'node:path';
import type { DryRun, DryRunTask } from './dry-run-thread.js';
import { ProblemError } from '../http/problem-error.js';

/** A dry run takes some milliseconds. The limit ends a run that would take forever. */
const TIMEOUT_MS = 2_000;
const THREADS = 2;
const MEMORY_MB = 128;

/** Highest number of dry runs that are in progress or wait: of one tenant, and of all. */
const MAX_OF_TENANT = 100;
const MAX = 400;

/**
 * Dry runs with tools that the caller describes. They run in threads, because the caller's schemas may be hostile. A run that exceeds
 * its time or memory ends with its thread. Tenants take turns.
 */
@Injectable()
export class DryRuns {
  private readonly pool = new ThreadPool<DryRunTask, ParseResult>({
    file: join(__dirname, 'dry-run-thread'),
    threads: THREADS,
    memoryMb: MEMORY_MB,
  });
  private readonly pending = new Map<string, number>();
  private count = 0;
  private isClosed = false;

  /**
   * Parses the text with these tools. `signal` ends a run whose client has disconnected.
   * @throws ProblemError if the run takes too long, or too many are pending
   */
  async run(dryRun: DryRun, tenant: string, signal: AbortSignal): Promise<ParseResult> {
    this.reserve(tenant);
    const lastTool = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    try {
      return await this.pool.run({ ...dryRun, lastTool }, { timeoutMs: TIMEOUT_MS, signal, key: tenant });
    } catch (error) {
      throw this.explain(error, dryRun.tools[Atomics.load(lastTool, 0) - 1]?.toolId);
    } finally {
      this.release(tenant);
    }
  }

  /** Ends all runs. Their clients get an error. */
  close(): Promise<void> {
    this.isClosed = true;
    return this.pool.close();
  }

  private reserve(tenant: string): void {
    const own = this.pending.get(tenant) ?? 0;
    if (own >= MAX_OF_TENANT) {
      const detail = `You have ${own} dry runs with your own tools in progress; send the next one after some have ended`;
      throw new ProblemError('rate_limited', detail, { retryAfterSeconds: 1 });
    }
    if (this.count >= MAX) {
      const detail = `${this.count} dry runs with tools in the request are in progress; try again later`;
      throw new ProblemError('unavailable', detail, { retryAfterSeconds: 2 });
    }
    this.pending.set(tenant, own + 1);
    this.count++;
  }

  private release(tenant: string): void {
    const left = (this.pending.get(tenant) ?? 1) - 1;
    if (left > 0) this.pending.set(tenant, left);
    else this.pending.delete(tenant);
    this.count--;
  }

  private explain(error: unknown, toolId: string | undefined): unknown {
    if (this.isClosed) return new ProblemError('unavailable', 'The API is shutting down; send the request again');
    const isTooLong = error instanceof ThreadTimeoutError;
    if (!isTooLong && !(error instanceof ThreadMemoryError)) return error;
    const limit = isTooLong ? `takes longer than ${TIMEOUT_MS} ms` : `needs more than ${MEMORY_MB} MB of memory`;
    const part = toolId === undefined ? 'The text or its tools' : `The schema of '${toolId}' or its arguments`;
    const detail = `The dry run ${limit}, so it was stopped. ${part} cost too much: simplify the schema, or send less`;
    return new ProblemError('invalid_request', detail, { status: 422 });
  }
}
