import type { Answer } from '@errand/contracts';
import { Suspended } from './suspended.js';
import { TimeLimit } from './time-limit.js';

/** A wait for an answer whose deadline is this near does not suspend the run: leaving and resuming takes as long. */
const NEAR_DEADLINE_MS = 100;

/** One wait of a node. Without a `key`, any answer can end it. */
export interface Wait {
  key?: string;
  /** In ms since 1970. */
  until?: number;
  forAnswer: boolean;
  /** Resolves if the wait ends earlier. */
  again?: (signal: AbortSignal) => Promise<unknown>;
}

/** The open waits of a run, and the answers received so far. */
export class Waits {
  private readonly open = new Map<Wait, () => void>();

  constructor(private readonly answers: Map<string, Answer>) {}

  answerTo(key: string): Answer | undefined {
    return this.answers.get(key);
  }

  /** Resolves at an answer, at `until`, or when `again` settles, whichever is first. Never resolves after the signal fires. */
  wait(wait: Wait, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const limit = wait.until === undefined ? undefined : new TimeLimit(wait.until - Date.now(), () => end(resolve));
      const end = (then?: () => void): void => {
        limit?.stop();
        this.open.delete(wait);
        signal.removeEventListener('abort', leave);
        then?.();
      };
      const leave = () => end();
      signal.addEventListener('abort', leave);
      this.open.set(wait, () => end(resolve));
      if (wait.key !== undefined && this.answers.has(wait.key)) end(resolve);
      const over = () => this.open.get(wait)?.();
      wait.again?.(signal).then(over, over);
    });
  }

  /** Stores an answer and wakes the waits that it can end. */
  receiveAnswer(key: string, answer: Answer): void {
    this.answers.set(key, answer);
    for (const [wait, wake] of this.open) {
      if (wait.forAnswer && (wait.key ?? key) === key) wake();
    }
  }

  /**
   * The suspension of a run without active nodes. Returns undefined if no node waits, or only for a time of at most `afterMs`.
   * A wait for an answer suspends the run at once, so that the invocation shows that somebody has to answer.
   */
  suspension(afterMs: number): Suspended | undefined {
    if (this.open.size === 0) return undefined;
    const waits = [...this.open.keys()];
    const first = Math.min(...waits.map(({ until = Infinity }) => until));
    const forAnswer = waits.some((wait) => wait.forAnswer);
    if (first - Date.now() <= (forAnswer ? Math.min(afterMs, NEAR_DEADLINE_MS) : afterMs)) return undefined;
    return new Suspended(first === Infinity ? undefined : first, forAnswer);
  }
}
