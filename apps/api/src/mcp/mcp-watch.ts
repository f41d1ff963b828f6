import { isFinal } from '@errand/contracts';
import {
  NotificationHub,
  Queues,
  readInvocation,
  readOpen,
  type StoredInvocation,
  type Subscription,
  type TenantReach,
} from '@errand/queue';
import type { McpProgress } from './mcp-progress.js';

/** The call that a client waits for. */
interface Watched {
  reach: TenantReach;
  id: string;
}

/** Why a wait is over: the call has ended, waits for an answer, or takes longer than the client was to wait. */
export type McpPause =
  | { kind: 'ended' | 'asks' | 'late'; invocation: StoredInvocation }
  | { kind: 'gone' }
  | { kind: 'aborted' };

/** A wait looks again after this time, also without a notification. */
const LOOK_MS = 30_000;
/** A signal that has aborted. A subscription that gets it returns at once. */
const NOW = AbortSignal.abort();

/**
 * Follows one call for its client. It is opened before the call is enqueued, so that no change can be missed, and sleeps until a
 * notification comes.
 */
export class McpWatch {
  private readonly changes: Subscription;
  private readonly end: Subscription;

  constructor(
    private readonly queues: Queues,
    notifications: NotificationHub,
    private readonly watched: Watched,
    private readonly signal: AbortSignal,
  ) {
    this.changes = notifications.listen(watched.id);
    this.end = notifications.listen(watched.id, 'end');
  }

  /**
   * Waits for the end of the call, for a question, or until the deadline (ms since 1970).
   * @param isFresh the call was enqueued just now, so that its state need not be read first
   */
  async untilPause(isFresh: boolean, deadline: number, progress?: McpProgress): Promise<McpPause> {
    let isKnown = isFresh;
    for (;;) {
      if (isKnown) await this.changes.next(this.signal, Math.min(deadline - Date.now(), LOOK_MS));
      isKnown = true;
      if (this.signal.aborted) return { kind: 'aborted' };
      const pause = await this.look(Date.now() >= deadline, progress);
      if (pause) return pause;
    }
  }

  close(): void {
    this.changes.close();
    this.end.close();
  }

  private async look(isLate: boolean, progress: McpProgress | undefined): Promise<McpPause | undefined> {
    const hasEnded = await this.end.next(NOW);
    const open = hasEnded ? undefined : await readOpen(this.queues, this.watched.id);
    if (open?.begun) await progress?.begin();
    await progress?.follow();
    if (open && open.lastStatus !== 'waiting_external' && !isLate) return undefined;
    const invocation = await readInvocation(this.queues, this.watched.reach, this.watched.id);
    if (!invocation) return { kind: 'gone' };
    if (isFinal(invocation.status)) return { kind: 'ended', invocation };
    if (invocation.status === 'waiting_external') return { kind: 'asks', invocation };
    return isLate ? { kind: 'late', invocation } : undefined;
  }
}
