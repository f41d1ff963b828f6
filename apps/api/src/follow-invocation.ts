import { isFinal, type Status } from '@errand/contracts';
import {
  readEvents,
  readLastEvent,
  readInvocation,
  readOpenStatus,
  Wakeups,
  Queues,
  type StoredInvocation,
} from '@errand/queue';
import { Injectable } from '@nestjs/common';
import { AnswerInvocation } from './answer-invocation.js';
import { SharedReads } from './shared-reads.js';
import { writePlace, type Place } from './stream-place.js';
import { gapBefore, makeReady, standingEvents, toData, type ReadyEvent, type Told } from './told-events.js';

/** Registers what to call when the caller hangs up; returns how to take that back. */
export type HangUp = (abort: () => void) => () => void;

const HEARTBEAT_MS = 15_000;
/** Events that are read at a time: as many as one listener makes this process hold. */
const PAGE = 64;

/** Whom a listener follows. That it is this tenant's, the caller has made sure of. */
export interface Followed {
  tenant: string;
  id: string;
  /** It has but one step. */
  alone: boolean;
}

/** How an invocation stands; of one that has ended, the data of its `end`. */
interface Standing {
  status: Status;
  end?: string;
}

/** Waits for, and tells of, what happens to an invocation. Asleep until there is news; never polls. */
@Injectable()
export class FollowInvocation {
  private readonly waiting = new Set<AbortController>();
  private readonly reads = new SharedReads();

  constructor(
    private readonly queues: Queues,
    private readonly wakeups: Wakeups,
    private readonly answer: AnswerInvocation,
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
    const read = () => this.reads.read(`invocation ${tenant} ${id}`, () => readInvocation(this.queues, tenant, id));
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
   * Everything after `from`, as it comes, until the invocation ends. Status is told when it differs from what was told last, and the
   * only step with it, which stands as the whole does; of several steps, logs and progress tell the invocation's own stream, in order
   * and without a gap, or with a `gap` that says how much of it is no longer kept.
   */
  async *tell({ tenant, id, alone }: Followed, from: Place, gone: HangUp): AsyncGenerator<Told> {
    const patience = this.patience(gone);
    const bell = this.wakeups.listen(id);
    try {
      let place = await this.placeIn(id, from);
      while (!patience.signal.aborted) {
        // The state is read before the events: whatever it had to say before it ended is then in the stream.
        const standing = await this.standingOf(tenant, id);
        if (!standing) return;
        const { status, end } = standing;
        if (end === undefined) place = yield* standingEvents(id, place, status, alone);
        for await (const { event, data, number } of this.eventsAfter(id, place.number)) {
          place = { ...place, number };
          yield { kind: 'event', id: writePlace(place), event, data };
        }
        if (end !== undefined) {
          place = yield* standingEvents(id, place, status, alone);
          yield { kind: 'event', id: writePlace({ ...place, told: 'end' }), event: 'end', data: end };
          return;
        }
        if (!(await bell.next(patience.signal, HEARTBEAT_MS))) yield { kind: 'heartbeat' };
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

  /**
   * A number that is still to come was given for another invocation, or by a Redis that has lost since what it was given for: who waited
   * for the events behind it would miss all before.
   */
  private async placeIn(id: string, from: Place): Promise<Place> {
    if (from.number === 0) return from;
    const newest = await this.reads.read(`newest ${id}`, () => readLastEvent(this.queues, id));
    return { ...from, number: Math.min(from.number, newest?.number ?? 0) };
  }

  private standingOf(tenant: string, id: string): Promise<Standing | undefined> {
    return this.reads.read(`standing ${tenant} ${id}`, async () => {
      const open = await readOpenStatus(this.queues, id);
      if (open !== undefined) return { status: open };
      const ended = await readInvocation(this.queues, tenant, id);
      return ended && { status: ended.status, end: toData(id, { invocation: this.answer.of(ended) }) };
    });
  }

  /** What has been told after the event of that number, page by page, and what of it is missing. */
  private async *eventsAfter(id: string, after: number): AsyncGenerator<ReadyEvent> {
    for (;;) {
      const page = await this.reads.read(`events ${id} ${after}`, async () =>
        (await readEvents(this.queues, id, after, PAGE)).map((event) => makeReady(id, event)),
      );
      const [first] = page;
      if (!first) return;
      if (first.number > after + 1) yield gapBefore(id, after + 1, first.number);
      yield* page;
      after = page.at(-1)!.number;
      if (page.length < PAGE) return;
    }
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
