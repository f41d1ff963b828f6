import { isFinal, type Status } from '@errand/contracts';
import {
  endedInvocation,
  readEvents,
  readLastEvent,
  readInvocation,
  readOpen,
  NotificationHub,
  Queues,
  type NumberedEvent,
  type OpenInvocation,
  type StoredInvocation,
  type Subscription,
  type TenantReach,
} from '@errand/queue';
import { Registry } from '@errand/registry';
import { Injectable } from '@nestjs/common';
import type { RequestScope } from '../http/request-scope.js';
import { toResponse } from '../http/to-response.js';
import { formatCursor, type EventCursor } from './event-cursor.js';
import {
  gapEvent,
  initialEvents,
  serializeEvent,
  statusEvents,
  toData,
  type SerializedEvent,
  type StreamItem,
} from './event-stream.js';
import { OpenWaits } from './open-waits.js';
import { Patience, type OnDisconnect } from './patience.js';
import { EndsWait } from './wait-for-ends.js';

const HEARTBEAT_MS = 15_000;
/** Events of one read. A client makes this process hold at most this many. */
const PAGE = 64;

/** The invocation that a client follows. The client's right to see it was checked before. */
interface StreamTarget {
  scope: RequestScope;
  id: string;
  /** The invocation has one step only. */
  alone: boolean;
}

/** The state of an invocation for its event stream. `end` is set if it has ended: its status, and the data of the event `end`. */
interface StreamState extends OpenInvocation {
  end?: { status: Status; data: string };
}

/** An item of the events that a translation follows. */
type FollowedItem =
  | { kind: 'heartbeat' }
  | { kind: 'events'; events: readonly NumberedEvent[] }
  | { kind: 'ended'; invocation: StoredInvocation };

/** Waits for the end of an invocation, and streams its events. It sleeps until a notification comes and never polls. */
@Injectable()
export class InvocationWatcher {
  private readonly waiting = new OpenWaits<Patience>();
  private readonly reads = new SharedReads();

  constructor(
    private readonly queues: Queues,
    private readonly notifications: NotificationHub,
    private readonly registry: Registry,
  ) {}

  /** Begins to wait for the end of `id`, for `ms` at most. The end cannot be missed from now on. Close the wait in a `finally`. */
  openWait(reach: TenantReach, id: string, ms: number, onDisconnect: OnDisconnect): EndWait {
    const read = () =>
      this.reads.read(`invocation ${String(reach)} ${id}`, () => readInvocation(this.queues, reach, id));
    return new EndWait(this.notifications.listen(id, 'end'), this.patience(onDisconnect), read, Date.now() + ms);
  }

  /** Begins to wait for the ends of several invocations, for `ms` at most. Close the wait in a `finally`. */
  openEndsWait(ids: readonly string[], ms: number, onDisconnect: OnDisconnect): EndsWait {
    return new EndsWait(this.notifications.listenToEnds(ids), this.patience(onDisconnect), Date.now() + ms);
  }

  /** The invocation when it has ended, or its state after `ms`. Undefined if it does not exist. */
  async waitForEnd(
    reach: TenantReach,
    id: string,
    { ms, onDisconnect }: { ms: number; onDisconnect: OnDisconnect },
  ): Promise<StoredInvocation | undefined> {
    const wait = this.openWait(reach, id, ms, onDisconnect);
    try {
      return await wait.untilEnd(await wait.read());
    } finally {
      wait.close();
    }
  }

  /**
   * Emits everything after `from`, as it comes, until the invocation ends. Every client gets the same events with the same ids. The only
   * step has the status of the invocation and gets an event with each of them. A `gap` replaces events that Redis no longer has.
   */
  async *stream(
    { scope, id, alone }: StreamTarget,
    from: EventCursor,
    onDisconnect: OnDisconnect,
  ): AsyncGenerator<StreamItem> {
    const patience = this.patience(onDisconnect);
    const subscription = this.notifications.listen(id);
    try {
      let cursor = await this.checkCursor(id, from);
      while (!patience.aborted) {
        // Read the state before the events: if it has ended, the stream then has all its events.
        const state = await this.readState(scope, id);
        if (!state) return;
        cursor = yield* initialEvents(id, cursor, state, alone);
        // Events that were stored since the last read come with the next one: the first `running` must come before them.
        if (state.begun) cursor = yield* this.storedEvents(id, cursor, alone);
        if (state.end) {
          cursor = yield* statusEvents(id, cursor, state.end.status, alone);
          yield { kind: 'event', id: formatCursor({ ...cursor, status: 'end' }), event: 'end', data: state.end.data };
          return;
        }
        if (!(await subscription.next(patience, HEARTBEAT_MS))) yield { kind: 'heartbeat' };
      }
    } finally {
      subscription.close();
      patience.end();
    }
  }

  /**
   * Emits the stored events after this number, page by page as they come, and the invocation when it has ended. It is for translations of the
   * events; a client of Errand itself gets `stream`.
   */
  async *follow(
    reach: TenantReach,
    id: string,
    after: number,
    onDisconnect: OnDisconnect,
  ): AsyncGenerator<FollowedItem> {
    const patience = this.patience(onDisconnect);
    const subscription = this.notifications.listen(id);
    try {
      while (!patience.aborted) {
        const [open, first] = await Promise.all([
          this.reads.read(`open ${id}`, () => readOpen(this.queues, id)),
          this.page(id, after),
        ]);
        after = yield* this.pages(id, after, first);
        if (!open) {
          // The events were perhaps read before the end.
          yield* this.pages(id, after, await this.page(id, after));
          const ended = await readInvocation(this.queues, reach, id);
          if (ended) yield { kind: 'ended', invocation: ended };
          return;
        }
        if (!(await subscription.next(patience, HEARTBEAT_MS))) yield { kind: 'heartbeat' };
      }
    } finally {
      subscription.close();
      patience.end();
    }
  }

  /** All events behind a first page. Returns the number of the last one. */
  private async *pages(
    id: string,
    after: number,
    first: readonly NumberedEvent[],
  ): AsyncGenerator<FollowedItem, number> {
    for (let events = first; events.length > 0; events = await this.page(id, after)) {
      after = events.at(-1)?.number ?? after;
      yield { kind: 'events', events };
      if (events.length < PAGE) break;
    }
    return after;
  }

  private page(id: string, after: number): Promise<NumberedEvent[]> {
    return this.reads.read(`raw events ${id} ${after}`, () => readEvents(this.queues, id, after, PAGE));
  }

  /** Ends all waits and streams, also those that open later, so that the server can close. */
  release(): void {
    this.waiting.abortAll();
  }

  /**
   * Moves a cursor back that is ahead of the stream. It belongs to another invocation, or Redis has lost events. The client would
   * miss all events up to its number. The status that the client got last is then unknown.
   */
  private async checkCursor(id: string, from: EventCursor): Promise<EventCursor> {
    if (from.number === 0) return from;
    const newest = (await this.reads.read(`newest ${id}`, () => readLastEvent(this.queues, id)))?.number ?? 0;
    return from.number <= newest ? from : { number: newest };
  }

  private readState(scope: RequestScope, id: string): Promise<StreamState | undefined> {
    const { reach, showsTenant } = scope;
    return this.reads.read(`state ${String(reach)} ${showsTenant} ${id}`, async () => {
      const open = await readOpen(this.queues, id);
      if (open) return open;
      const ended = await readInvocation(this.queues, reach, id);
      if (!ended) return undefined;
      const data = toData(id, { invocation: toResponse(this.registry, ended, scope) });
      return { begun: ended.startedAt !== null, lastStatus: ended.status, end: { status: ended.status, data } };
    });
  }

  /** Emits the stored events after the cursor; returns the client's new position. */
  private async *storedEvents(id: string, from: EventCursor, alone: boolean): AsyncGenerator<StreamItem, EventCursor> {
    let cursor = from;
    for await (const { event, data, number, status, at } of this.eventsAfter(id, cursor.number)) {
      cursor = { ...cursor, number };
      if (status) cursor = yield* statusEvents(id, cursor, status, alone, at);
      else yield { kind: 'event', id: formatCursor(cursor), event, data };
    }
    return cursor;
  }

  /** The events after this number, page by page, with a `gap` for missing ones. */
  private async *eventsAfter(id: string, after: number): AsyncGenerator<SerializedEvent> {
    for (;;) {
      const page = await this.reads.read(`events ${id} ${after}`, async () =>
        (await readEvents(this.queues, id, after, PAGE)).map((event) => serializeEvent(id, event)),
      );
      const [first] = page;
      if (!first) return;
      if (first.number > after + 1) yield gapEvent(id, after + 1, first.number);
      yield* page;
      after = page.at(-1)?.number ?? after;
      if (page.length < PAGE) return;
    }
  }

  /** Aborts when the client disconnects, or at `release`. */
  private patience(onDisconnect: OnDisconnect): Patience {
    return new Patience(onDisconnect, this.waiting);
  }
}

/** A wait for the end of one invocation, of which it gets a notification. It may be opened before the invocation exists. */
export class EndWait {
  constructor(
    private readonly subscription: Subscription,
    private readonly patience: Patience,
    readonly read: () => Promise<StoredInvocation | undefined>,
    private readonly deadline: number,
  ) {}

  /**
   * Waits for the first notification of the end, or the deadline. Returns the outcome that came with it. Without one, `read` and
   * `untilEnd` say more.
   */
  async firstOutcome(): Promise<string | undefined> {
    await this.subscription.next(this.patience, this.deadline - Date.now());
    return this.subscription.outcome;
  }

  /** The invocation when it has ended, or its state at the deadline. Undefined if it no longer exists. */
  async untilEnd(latest: StoredInvocation | undefined): Promise<StoredInvocation | undefined> {
    while (latest && !isFinal(latest.status) && Date.now() < this.deadline && !this.patience.aborted) {
      await this.subscription.next(this.patience, this.deadline - Date.now());
      const { outcome } = this.subscription;
      latest = outcome === undefined ? await this.read() : endedInvocation(latest, outcome);
    }
    return latest;
  }

  close(): void {
    this.subscription.close();
    this.patience.end();
  }
}

/**
 * Shares one read between all clients that ask the same in one tick of the event loop. A notification wakes a thousand clients of one
 * invocation at once, and they all ask the same.
 *
 * A read of an earlier tick must not be shared. A client asks after its notification, and the read leaves for Redis in that tick or
 * later, so that its result has the change. The result of an earlier read might not have it.
 */
class SharedReads {
  private readonly pending = new Map<string, Promise<unknown>>();

  /** @param key equal for equal questions; it implies the type of the result */
  read<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.pending.get(key);
    if (known) return known as Promise<T>;
    const result = ask();
    this.pending.set(key, result);
    // It runs after everything that the present tick has woken.
    process.nextTick(() => this.pending.delete(key));
    return result;
  }
}
