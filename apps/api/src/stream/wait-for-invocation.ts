import { isFinal, type Status } from '@errand/contracts';
import {
  readEvents,
  readLastEvent,
  readInvocation,
  readOpen,
  NotificationHub,
  Queues,
  type OpenInvocation,
  type StoredInvocation,
} from '@errand/queue';
import { Injectable } from '@nestjs/common';
import { AnswerInvocation } from '../http/to-response.js';
import { writePlace, type Place } from './event-cursor.js';
import {
  gapBefore,
  headEvents,
  makeReady,
  standingEvents,
  toData,
  type ReadyEvent,
  type Told,
} from './event-stream.js';

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

/** How far an invocation has come; of one that has ended, how, and the data of its `end`. */
interface Standing extends OpenInvocation {
  end?: { status: Status; data: string };
}

/** Waits for, and tells of, what happens to an invocation. Asleep until there is news; never polls. */
@Injectable()
export class FollowInvocation {
  private readonly waiting = new Set<AbortController>();
  private readonly reads = new SharedReads();

  constructor(
    private readonly queues: Queues,
    private readonly notifications: NotificationHub,
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
    const subscription = this.notifications.listen(id, 'end');
    const patience = this.patience(wait.gone);
    try {
      let latest = wait.begin ? await wait.begin() : await read();
      while (latest && !isFinal(latest.status) && Date.now() < deadline && !patience.signal.aborted) {
        await subscription.next(patience.signal, deadline - Date.now());
        latest = await read();
      }
      return latest;
    } finally {
      subscription.close();
      patience.end();
    }
  }

  /**
   * Everything after `from`, as it comes, until the invocation ends: the same events with the same ids for every listener. With each status
   * the only step is told, which stands as the whole does. What is no longer kept is told as a `gap` that says how much it is.
   */
  async *tell({ tenant, id, alone }: Followed, from: Place, gone: HangUp): AsyncGenerator<Told> {
    const patience = this.patience(gone);
    const subscription = this.notifications.listen(id);
    try {
      let place = await this.placeIn(id, from);
      while (!patience.signal.aborted) {
        // The state is read before the events: whatever it had to say before it ended is then in the stream.
        const standing = await this.standingOf(tenant, id);
        if (!standing) return;
        place = yield* headEvents(id, place, standing, alone);
        // Events that were stored since the last read come with the next one: the first `running` must come before them.
        if (standing.begun) place = yield* this.storedEvents(id, place, alone);
        if (standing.end) {
          place = yield* standingEvents(id, place, standing.end.status, alone);
          yield { kind: 'event', id: writePlace({ ...place, told: 'end' }), event: 'end', data: standing.end.data };
          return;
        }
        if (!(await subscription.next(patience.signal, HEARTBEAT_MS))) yield { kind: 'heartbeat' };
      }
    } finally {
      subscription.close();
      patience.end();
    }
  }

  /** Lets every waiter go, so that a server can close. */
  release(): void {
    for (const controller of this.waiting) controller.abort();
  }

  /**
   * A number that is still to come was given for another invocation, or by a Redis that has lost since what it was given for: who waited
   * for the events behind it would miss all before. Which status was told then is not known.
   */
  private async placeIn(id: string, from: Place): Promise<Place> {
    if (from.number === 0) return from;
    const newest = (await this.reads.read(`newest ${id}`, () => readLastEvent(this.queues, id)))?.number ?? 0;
    return from.number <= newest ? from : { number: newest };
  }

  private standingOf(tenant: string, id: string): Promise<Standing | undefined> {
    return this.reads.read(`standing ${tenant} ${id}`, async () => {
      const open = await readOpen(this.queues, id);
      if (open) return open;
      const ended = await readInvocation(this.queues, tenant, id);
      if (!ended) return undefined;
      const data = toData(id, { invocation: this.answer.of(ended) });
      return { begun: ended.startedAt !== null, lastStatus: ended.status, end: { status: ended.status, data } };
    });
  }

  /** What was stored behind the listener's place; returns where the listener stands then. */
  private async *storedEvents(id: string, from: Place, alone: boolean): AsyncGenerator<Told, Place> {
    let place = from;
    for await (const { event, data, number, status, at } of this.eventsAfter(id, place.number)) {
      place = { ...place, number };
      if (status) place = yield* standingEvents(id, place, status, alone, at);
      else yield { kind: 'event', id: writePlace(place), event, data };
    }
    return place;
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

/**
 * One read for all who ask the same at the same moment. A thousand listeners of one invocation wake at one ring and ask the same
 * question; it is put once.
 *
 * Shared is only what is asked within one turn of the event loop. Whoever was woken by news has heard it before he asks, and the
 * question leaves for Redis in that turn or later: its answer holds the news. An answer to an earlier turn's question might not.
 */
export class SharedReads {
  private readonly asked = new Map<string, Promise<unknown>>();

  /** @param key equal for equal questions; it implies the type of the answer */
  read<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.asked.get(key);
    if (known) return known as Promise<T>;
    const answer = ask();
    this.asked.set(key, answer);
    // Runs when all that the present turn has woken has been served.
    process.nextTick(() => this.asked.delete(key));
    return answer;
  }
}
