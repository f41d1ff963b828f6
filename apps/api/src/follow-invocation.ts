import { isFinal } from '@errand/contracts';
import { readEvents, readInvocation, readOpenStatus, Wakeups, Queues, type StoredInvocation } from '@errand/queue';
import { Injectable } from '@nestjs/common';

/** Something to tell a listener; `id` is what it may resume after. `heartbeat` says only that the line is open. */
export type Told =
  | { kind: 'heartbeat' }
  | { kind: 'event'; id: string; event: string; data: Record<string, unknown>; final?: StoredInvocation };

/** Registers what to call when the caller hangs up; returns how to take that back. */
export type HangUp = (abort: () => void) => () => void;

const HEARTBEAT_MS = 15_000;

/** Waits for, and tells of, what happens to an invocation. Asleep until there is news; never polls. */
@Injectable()
export class FollowInvocation {
  private readonly waiting = new Set<AbortController>();

  constructor(
    private readonly queues: Queues,
    private readonly wakeups: Wakeups,
  ) {}

  /**
   * The invocation when it has ended, or as it stands when `waitMs` are over; undefined if there is none. `begin` is what submits
   * it, where that is still to be done: its end cannot be missed then, and it need not be read before there is news of it.
   */
  async awaitEnd(
    tenant: string,
    id: string,
    wait: { ms: number; gone: HangUp; begin?: () => Promise<StoredInvocation> },
  ): Promise<StoredInvocation | undefined> {
    const read = () => readInvocation(this.queues, tenant, id);
    const deadline = Date.now() + wait.ms;
    const bell = this.wakeups.listen(id, 'end');
    const patience = this.patience(wait.gone);
    try {
      let latest = wait.begin ? await wait.begin() : await read();
      while (latest && !isFinal(latest.status) && Date.now() < deadline && !patience.signal.aborted) {
        await bell.next(patience.signal, deadline - Date.now());
        latest = await read();
      }
      return latest;
    } finally {
      bell.close();
      patience.end();
    }
  }

  /**
   * Of an invocation that is this tenant's, which the caller has made sure of: everything after the event `after`, as it comes, until the invocation ends. Status is told when it differs from what was
   * told last; steps, logs and progress come from the invocation's own stream, in order and without a gap.
   */
  async *tell(tenant: string, id: string, after: string | undefined, gone: HangUp): AsyncGenerator<Told> {
    const patience = this.patience(gone);
    const closed = patience.signal;
    const bell = this.wakeups.listen(id);
    let last = after ?? '0-0';
    let toldStatus: string | undefined;
    try {
      while (!closed.aborted) {
        // The state is read before the events: whatever it had to say before it ended is then in the stream.
        const open = await readOpenStatus(this.queues, id);
        const ended = open === undefined ? await readInvocation(this.queues, tenant, id) : undefined;
        if (open === undefined && !ended) return;
        if (open !== undefined && open !== toldStatus) {
          toldStatus = open;
          yield status(last, open);
        }
        for (
          let page = await readEvents(this.queues, id, last);
          page.length > 0;
          page = await readEvents(this.queues, id, last)
        ) {
          for (const { id: eventId, event } of page) {
            last = eventId;
            const { event: name, ...data } = event;
            yield { kind: 'event', id: last, event: name, data };
          }
        }
        if (ended) {
          yield status(last, ended.status);
          yield { kind: 'event', id: last, event: 'end', data: {}, final: ended };
          return;
        }
        if (!(await bell.next(AbortSignal.any([closed, AbortSignal.timeout(HEARTBEAT_MS)]))))
          yield { kind: 'heartbeat' };
      }
    } finally {
      bell.close();
      patience.end();
    }
  }

  /** Lets every waiter go, so that a server can close. */
  release(): void {
    for (const controller of this.waiting) controller.abort();
  }

  /** Ends when the caller hangs up, or at `release`. */
  private patience(gone: HangUp): { signal: AbortSignal; end(): void } {
    const controller = new AbortController();
    const takeBack = gone(() => controller.abort());
    this.waiting.add(controller);
    return {
      signal: controller.signal,
      end: () => {
        takeBack();
        this.waiting.delete(controller);
      },
    };
  }
}

function status(id: string, value: string): Told {
  return { kind: 'event', id, event: 'status', data: { status: value, at: new Date().toISOString() } };
}
