import { ThreadTimeoutError } from './thread-errors.js';

/** How long the start of a thread, with `prepare` of its task, may take. */
const LONGEST_START_MS = 60_000;

/** What a task is doing, as both threads see it: one of these three, then the time of its start. */
export type TaskState = BigInt64Array;
const WAITING = 0n;
const LOADING = 1n;
const ENDED = 2n;

/** In the thread: before it loads the modules of the task. Returns false for a task that has ended. The pool does not end the thread until `startTask`. */
export function loadTask(state: TaskState): boolean {
  return Atomics.compareExchange(state, 0, WAITING, LOADING) === WAITING;
}

/** In the thread: the start of the run. Returns false for a task that has ended meanwhile. */
export function startTask(state: TaskState): boolean {
  return Atomics.compareExchange(state, 0, LOADING, process.hrtime.bigint()) === LOADING;
}

/**
 * A task that a thread has or will have. It can be ended at any time. Node.js 20 aborts the whole process if a thread is ended while its
 * `require` links an ES module. A thread therefore goes on while it loads modules, and then sees that its task has ended.
 */
export class RunningTask {
  readonly state: TaskState = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
  private readonly thread = new AbortController();
  private readonly latestStart = performance.now() + LONGEST_START_MS;
  private reason: unknown;

  /** Aborts when the thread must end. */
  get signal(): AbortSignal {
    return this.thread.signal;
  }

  /** Ends the task. Later calls do nothing. */
  end(reason: unknown): void {
    if (this.hasEnded()) return;
    this.reason = reason;
    if (this.moveToEnded(WAITING) || !this.moveToEnded(LOADING)) this.thread.abort(reason);
  }

  /** @throws the reason, if the task has ended before its run or during it */
  throwIfEnded(): void {
    if (this.hasEnded()) throw this.reason;
  }

  /** Ends the task when it has run for `timeoutMs`, or could not start. Returns the timer, which the caller cancels. */
  endAfter(timeoutMs: number): { cancel(): void } {
    let timer: NodeJS.Timeout;
    const check = () => {
      const state = Atomics.load(this.state, 0);
      const hasStarted = state > ENDED;
      const leftMs = hasStarted ? timeoutMs - Number((process.hrtime.bigint() - state) / 1_000_000n) : timeoutMs;
      if (leftMs <= 0) this.end(new ThreadTimeoutError(timeoutMs));
      else if (!hasStarted && performance.now() > this.latestStart) this.endLoading();
      else timer = setTimeout(check, leftMs);
    };
    check();
    return { cancel: () => clearTimeout(timer) };
  }

  private hasEnded(): boolean {
    return this.thread.signal.aborted || Atomics.load(this.state, 0) === ENDED;
  }

  /** A load of modules that does not end must not hold its thread for ever. */
  private endLoading(): void {
    this.end(new Error(`the thread did not start within ${LONGEST_START_MS} ms`));
    this.thread.abort(this.reason);
  }

  private moveToEnded(from: bigint): boolean {
    return Atomics.compareExchange(this.state, 0, from, ENDED) === from;
  }
}
