/** Older requests are forgotten. Then Redis is asked. */
const MOST_REQUESTS = 1_000;

/**
 * The last cancel requests that a process has heard for jobs that do not run in it. A process gets the reply with a taken job after the job is
 * locked, so that a request for the job can come before its run begins. Times are those of `performance.now()`.
 */
export class HeardRequests {
  /** The time at which each was heard, oldest first. */
  private readonly heard = new Map<string, number>();
  /** Requests until then may have been missed or forgotten. */
  private missedUntil = Infinity;

  constructor(private readonly most = MOST_REQUESTS) {}

  /** From now on, all requests are heard. */
  beginAt(now: number): void {
    this.missedUntil = now;
  }

  note(id: string, now: number): void {
    this.heard.delete(id);
    this.heard.set(id, now);
    if (this.heard.size <= this.most) return;
    for (const [oldest, at] of this.heard) {
      this.heard.delete(oldest);
      this.missedUntil = Math.max(this.missedUntil, at);
      return;
    }
  }

  /** Whether a request for the job may have come since `askedAt`. False only if none has. */
  mayHave(id: string, askedAt: number): boolean {
    return askedAt <= this.missedUntil || this.heard.has(id);
  }
}
