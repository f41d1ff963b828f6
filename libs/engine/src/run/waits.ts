import type { Answer } from '@errand/contracts';
import { Suspended } from './suspended.js';
import { TimeLimit } from './time-limit.js';

/** The end of a wait for an answer that is so near is waited for: to leave and to come back takes as long. */
const AT_HAND_MS = 100;

/** What one node waits for. Without a `key`, any answer may be what it needs. */
export interface Wait {
  key?: string;
  /** In ms since 1970. */
  until?: number;
  forAnswer: boolean;
  /** Resolves when it is over sooner. */
  again?: (signal: AbortSignal) => Promise<unknown>;
}

/** All that the nodes of a run wait for, and the answers that have come. */
export class Waits {
  private readonly open = new Map<Wait, () => void>();

  constructor(private readonly answers: Map<string, Answer>) {}

  answerTo(key: string): Answer | undefined {
    return this.answers.get(key);
  }

  /** Resolves when an answer has come or it is over by time or otherwise, whichever is first; never once the signal has fired. */
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

  tell(key: string, answer: Answer): void {
    this.answers.set(key, answer);
    for (const [wait, wake] of this.open) {
      if (wait.forAnswer && (wait.key ?? key) === key) wake();
    }
  }

  /**
   * How a run in which nothing works any more is to be left; undefined where nothing waits, or only for a time, and that not longer
   * than `afterMs`. For an answer it is left at once: only then does the invocation say that somebody has to give one.
   */
  parked(afterMs: number): Suspended | undefined {
    if (this.open.size === 0) return undefined;
    const waits = [...this.open.keys()];
    const first = Math.min(...waits.map(({ until = Infinity }) => until));
    const forAnswer = waits.some((wait) => wait.forAnswer);
    if (first - Date.now() <= (forAnswer ? Math.min(afterMs, AT_HAND_MS) : afterMs)) return undefined;
    return new Suspended(first === Infinity ? undefined : first, forAnswer);
  }
}
