/** The task ran longer than its time limit. Its thread has been ended. */
export class ThreadTimeoutError extends Error {
  constructor(readonly timeoutMs: number) {
    super(`the computation took longer than ${timeoutMs} ms`);
    this.name = 'ThreadTimeoutError';
  }
}

/** The task needed more memory than its thread may have. Its thread has been ended. */
export class ThreadMemoryError extends Error {
  constructor(readonly memoryMb: number) {
    super(`the computation needed more than ${memoryMb} MB of memory`);
    this.name = 'ThreadMemoryError';
  }
}
