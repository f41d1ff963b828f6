import { join } from 'node:path';
import { ToolError, type JsonObject } from '@errand/contracts';
import { ThreadMemoryError, ThreadPool, ThreadTimeoutError } from '@errand/threads';
import { unpack, type PackedComputation, type ThreadOutcome, type ThreadTask } from './pack-computation.js';

/** The heap of one thread. It holds the largest input and result of a computation. */
const MEMORY_MB = 512;

/** The thread pool for computations of nodes. */
export class NodeThreads {
  private readonly pool: ThreadPool<ThreadTask, ThreadOutcome>;
  private isClosed = false;

  constructor(
    threads: number,
    private readonly memoryMb: number = MEMORY_MB,
  ) {
    this.pool = new ThreadPool({ file: join(__dirname, 'computing-thread'), threads, memoryMb });
  }

  /**
   * Runs a computation. Computations of different keys take turns.
   * @throws ToolError: the error of `run` (NodeError unless it is a ToolError), TimeoutError, ResourceLimitError; the
   *   reason of the signal
   */
  async run(
    { task, timeoutMs, what, advice }: PackedComputation,
    { key, signal }: { key: string; signal: AbortSignal },
  ): Promise<JsonObject> {
    let outcome: ThreadOutcome;
    try {
      outcome = await this.pool.run(task, { timeoutMs, key, signal });
    } catch (error) {
      if (error instanceof ThreadTimeoutError)
        throw new ToolError('TimeoutError', `${what} took longer than ${timeoutMs} ms; ${advice}`);
      if (error instanceof ThreadMemoryError)
        throw new ToolError('ResourceLimitError', `${what} needed more than ${this.memoryMb} MB of memory; ${advice}`);
      // The process ends. Another process can repeat the computation.
      if (this.isClosed && !signal.aborted) throw new ToolError('ServiceError', 'The worker is ending');
      throw error;
    }
    if ('result' in outcome) return unpack(outcome.result);
    const { type, message, details } = outcome.failure;
    throw new ToolError(type, message, details);
  }

  /** Ends all threads. Unfinished computations are rejected. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.pool.close();
  }
}
