/** Another process has the job. Nothing more may be written for it here. */
export class SupersededError extends Error {
  constructor(id: string) {
    super(`Another process has taken ${id} over`);
    this.name = 'SupersededError';
  }
}

/** The lock of a job has lapsed. Perhaps no other process has the job. */
export class LockLapsedError extends SupersededError {}

/**
 * Checks the result of a script that needs the lock of a job.
 * @throws SupersededError for 0 (another process has the job); LockLapsedError for -1
 */
export function requireHeld(id: string, reply: -1 | 0 | 1): void {
  if (reply === 1) return;
  throw reply === 0 ? new SupersededError(id) : new LockLapsedError(id);
}
