import { extname, join } from 'node:path';
import { Piscina } from 'piscina';
import { RunningTask, type TaskState } from './running-task.js';
import { ThreadMemoryError } from './thread-errors.js';

interface ThreadPoolOptions {
  /**
   * The absolute path of a module that exports `run(task)`, without its ending: `join(__dirname, 'evaluate-thread')`. It may export
   * `prepare(task)` as well, which runs before and does not count as run.
   */
  file: string;
  /** How many threads run at the same time. */
  threads: number;
  /** The heap of one thread in MB. */
  memoryMb: number;
}

interface ThreadRunOptions {
  /** The longest run of this task in ms, counted from its start in the thread. */
  timeoutMs: number;
  /** Ends the task, waiting or running. */
  signal?: AbortSignal;
  /** Tasks of different keys take turns, for example a key for each tenant. */
  key?: string;
}

/** The data that a thread gets at its start. */
export interface ThreadSetup {
  file: string;
}

/** The data that a thread gets with each task. */
export interface ThreadRequest {
  task: unknown;
  /** Both threads share it. */
  state: TaskState;
}

/** How long a thread without a task stays alive. */
const IDLE_MS = 10_000;

// The sources run where a test runner compiles them; a thread needs a compiler of its own.
const ENDING = extname(__filename);
const EXEC_ARGV = ENDING === '.ts' ? ['--require', join(__dirname, '../../../test/support/load-typescript.cjs')] : [];

/**
 * A bounded number of threads for computations that would block the event loop. A task that exceeds its time or memory is ended with
 * its thread; nothing that it does can prevent that. Threads start with the first task, and end when there is nothing to do.
 * The threads themselves are Piscina's.
 */
export class ThreadPool<Task, Result> {
  private readonly waiting = new FairQueue<() => void>();
  /** The tasks that have a thread, with the ends of their runs. */
  private readonly running = new Map<RunningTask, Promise<unknown>>();
  private readonly pool: Piscina;
  private freeThreads: number;
  private closed: Error | undefined;

  constructor(private readonly options: ThreadPoolOptions) {
    const setup: ThreadSetup = { file: options.file + ENDING };
    this.freeThreads = options.threads;
    this.pool = new Piscina({
      filename: join(__dirname, `thread-entry${ENDING}`),
      workerData: setup,
      execArgv: EXEC_ARGV,
      minThreads: 0,
      maxThreads: options.threads,
      idleTimeout: IDLE_MS,
      recordTiming: false,
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMb },
    });
    // A thread that cannot start has no task yet: without this its task would wait for ever. A thread that runs out of memory while it
    // is being ended has none any more.
    this.pool.on('error', (error) => {
      if (!isOutOfMemory(error)) this.endAll(error);
    });
  }

  /**
   * Runs one task and returns the result of `run` in the pool's file. Task and result are copied between the threads.
   * @throws ThreadTimeoutError, ThreadMemoryError, the reason of the signal, or the error that `run` throws
   */
  async run(task: Task, { timeoutMs, signal, key = '' }: ThreadRunOptions): Promise<Result> {
    await this.acquireThread(key, signal);
    try {
      signal?.throwIfAborted();
      return await this.runInTime(task, timeoutMs, signal);
    } finally {
      this.releaseThread();
    }
  }

  /** Ends all threads. Tasks that run or wait are rejected. A thread that is loading modules ends after that. */
  async close(): Promise<void> {
    this.closed ??= new Error('the thread pool is closed');
    const runs = [...this.running.values()];
    this.endAll(this.closed);
    await Promise.allSettled(runs);
    await this.pool.destroy();
  }

  private endAll(reason: unknown): void {
    for (const task of this.running.keys()) task.end(reason);
  }

  private async runInTime(task: Task, timeoutMs: number, signal: AbortSignal | undefined): Promise<Result> {
    if (this.closed) throw this.closed;
    const running = new RunningTask();
    const onAbort = () => running.end(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const timer = running.endAfter(timeoutMs);
    const request: ThreadRequest = { task, state: running.state };
    const run: Promise<Result> = this.pool.run(request, { signal: running.signal });
    this.running.set(running, run);
    try {
      const result = await run;
      running.throwIfEnded();
      return result;
    } catch (error) {
      running.throwIfEnded();
      throw isOutOfMemory(error) ? new ThreadMemoryError(this.options.memoryMb) : error;
    } finally {
      timer.cancel();
      signal?.removeEventListener('abort', onAbort);
      this.running.delete(running);
    }
  }

  private acquireThread(key: string, signal: AbortSignal | undefined): Promise<void> | undefined {
    if (this.freeThreads > 0) {
      this.freeThreads--;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.delete(key, enter);
        reject(signal?.reason);
      };
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      if (signal?.aborted) return leave();
      this.waiting.push(key, enter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  private releaseThread(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.freeThreads++;
  }
}

function isOutOfMemory(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** A queue in which keys take turns: the many entries of one key do not delay the first entry of another. All steps take constant time. */
class FairQueue<T> {
  /** The entries of each key in the order of their arrival. The first key of the map is the next one to be served. */
  private readonly entries = new Map<string, Set<T>>();

  push(key: string, entry: T): void {
    const own = this.entries.get(key);
    if (own) own.add(entry);
    else this.entries.set(key, new Set([entry]));
  }

  /** Removes and returns the next entry; its key moves to the end of the round. */
  shift(): T | undefined {
    for (const [key, own] of this.entries) {
      this.entries.delete(key);
      for (const entry of own) {
        own.delete(entry);
        if (own.size > 0) this.entries.set(key, own);
        return entry;
      }
    }
    return undefined;
  }

  delete(key: string, entry: T): void {
    const own = this.entries.get(key);
    own?.delete(entry);
    if (own?.size === 0) this.entries.delete(key);
  }
}
