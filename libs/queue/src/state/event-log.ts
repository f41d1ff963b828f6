import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { nowText, type InvocationEvent } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { FIELD } from '../redis/job-fields.js';
import { keysOf } from '../redis/names.js';
import type { QueueName } from '../redis/queue-names.js';
import { openLife } from './open-life.js';
import { loadScript } from '../redis/lua-script.js';

/**
 * A stored event; `at` is ISO 8601. Some events are not stored, because readers derive them from the job: the first `queued` and `running`
 * before all stored events, and the final status and the `end` after them.
 */
type LoggedEvent = Exclude<InvocationEvent, { event: 'end' }> & { at: string };
export type LogEvent = Extract<LoggedEvent, { event: 'log' }>;

/** A changed field of the state of an invocation, and its new value. */
type StateChange = readonly [field: string, value: unknown];

/** Events that are not stored yet, and the changes of the state that belong to them. */
export interface EmittedEvents {
  events: readonly LoggedEvent[];
  changes: readonly StateChange[];
}

/** Events within this time are stored by one command. */
const BATCH_MS = 10;
/** The most events of one command. Redis runs other commands between two. */
const MAX_BATCH = 500;
/** The most events, and changes of the state, that `take` hands over. */
const MAX_TAKEN = 100;
/** A person reads these as they come. The first one after a pause is stored at once. */
const READ_BY_PEOPLE: ReadonlySet<string> = new Set<InvocationEvent['event']>(['text', 'reasoning']);
export const PROGRESS_FIELD = 'progress';

const APPEND = loadScript<0 | 1>(join(__dirname, 'append-events.lua'));

/**
 * Emits the events of a running invocation. One command appends them to those of the invocation, updates the state of the invocation, and publishes
 * a notification. Events within 10 ms share the command and keep their order; pieces of one text become one event. The first piece after a
 * pause does not wait for others. With a `fence`, nothing is written after another attempt has begun.
 */
export class EventWriter {
  private readonly queues: Queues;
  private pending: LoggedEvent[] = [];
  private changes = new Map<string, unknown>();
  private timer: NodeJS.Timeout | undefined;
  private lastFlush = 0;
  private writing: Promise<void> = Promise.resolve();
  /** Names the batches of this writer: a batch that is sent twice, because a response was lost, is stored once. */
  private name: string | undefined;
  private batches = 0;

  constructor(
    queues: Queues,
    private readonly id: string,
    private readonly onError: (error: unknown) => void,
    private readonly fence?: { queue: QueueName; attempt: number },
  ) {
    this.queues = queues.shardOf(id);
  }

  emit(event: Exclude<InvocationEvent, { event: 'status' | 'end' }>, ...changes: readonly StateChange[]): void {
    if (event.event === 'log' && event.line.length > MAX_TEXT) event = { ...event, line: cutLine(event.line) };
    if (!appendText(this.pending.at(-1), event)) this.pending.push({ ...event, at: nowText() });
    if (event.event === 'progress') this.changes.set(PROGRESS_FIELD, event.value);
    for (const [field, value] of changes) this.changes.set(field, value);
    if (READ_BY_PEOPLE.has(event.event) && performance.now() - this.lastFlush > BATCH_MS) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), BATCH_MS);
  }

  /** Resolves when all emitted events are stored. An error goes to `onError` instead. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.lastFlush = performance.now();
    const { pending, changes } = this;
    this.pending = [];
    this.changes = new Map();
    if (pending.length > 0) this.writing = this.writing.then(() => this.store(pending, changes)).catch(this.onError);
    return this.writing;
  }

  /**
   * Hands over the events that are not stored yet, so that another command stores them together with what follows them. Earlier events are
   * stored by then. A large batch is stored here.
   */
  async take(): Promise<EmittedEvents> {
    if (this.pending.length > MAX_TAKEN || this.changes.size > MAX_TAKEN) void this.flush();
    clearTimeout(this.timer);
    this.timer = undefined;
    const taken = { events: this.pending, changes: [...this.changes] };
    this.pending = [];
    this.changes = new Map();
    await this.writing;
    return taken;
  }

  private async store(events: readonly LoggedEvent[], changes: ReadonlyMap<string, unknown>): Promise<void> {
    const texts = events.map((event) => JSON.stringify(event));
    const pairs = [...changes].map(([field, value]) => [field, JSON.stringify(value)]);
    for (let from = 0; from < Math.max(texts.length, pairs.length); from += MAX_BATCH) {
      await this.append(texts.slice(from, from + MAX_BATCH), pairs.slice(from, from + MAX_BATCH).flat());
    }
  }

  private async append(texts: readonly string[], pairs: readonly string[]): Promise<void> {
    const keys = keysOf(this.queues.redis);
    const { redis, retention } = this.queues;
    const job = keys.job(this.fence?.queue ?? 'invocations', this.id);
    await APPEND.run(
      redis,
      [keys.events(this.id), keys.state(this.id), keys.notifications, job],
      [
        this.fence?.attempt ?? '',
        openLife(retention),
        this.id,
        `${(this.name ??= randomBytes(4).toString('base64url'))}${this.batches++}`,
        texts.length,
        ...texts,
        ...pairs,
      ],
    );
  }
}

/** The longest text, and the longest log line, of one event, in characters. */
const MAX_TEXT = 16_384;

function cutLine(line: string): string {
  return `${line.slice(0, MAX_TEXT)} … [line cut]`;
}

/** Appends a piece to the last event that waits to be stored, if both are parts of one text. Models write thousands of pieces. */
function appendText(last: LoggedEvent | undefined, event: InvocationEvent): boolean {
  if (event.event !== 'text' && event.event !== 'reasoning') return false;
  if (last?.event !== event.event || last.messageId !== event.messageId || last.round !== event.round) return false;
  if (last.delta.length + event.delta.length > MAX_TEXT) return false;
  last.delta += event.delta;
  return true;
}

/** A stored event and its number. The first event of an invocation has number 1, and there are no gaps. */
export interface NumberedEvent {
  number: number;
  event: LoggedEvent;
}

/** The last stored event. */
export async function readLastEvent(queues: Queues, id: string): Promise<NumberedEvent | undefined> {
  const keys = keysOf(queues.redis);
  const [held, [last]] = await Promise.all([
    readHeld(queues, id),
    queues.redis.xrevrange(keys.events(id), '+', '-', 'COUNT', 1),
  ]);
  return held.at(-1) ?? (last && toEvent(last));
}

/** At most `count` events after number `after`, oldest first. The oldest events may be gone already. */
export async function readEvents(queues: Queues, id: string, after = 0, count = 500): Promise<NumberedEvent[]> {
  const keys = keysOf(queues.redis);
  const [held, rows] = await Promise.all([
    readHeld(queues, id),
    queues.redis.xrange(keys.events(id), `(${after}-0`, '+', 'COUNT', count),
  ]);
  return held.length > 0 ? held.slice(after, after + count) : rows.map(toEvent);
}

/** The events that the job holds: all, or none. They may move to the stream at any time, so that they must be read before it. */
async function readHeld({ redis }: Queues, id: string): Promise<NumberedEvent[]> {
  const keys = keysOf(redis);
  const text = await redis.hget(keys.job('invocations', id), FIELD.heldEvents);
  const lines = text?.split('\n').slice(0, -1) ?? [];
  return lines.map((line, n) => ({ number: n + 1, event: JSON.parse(line.slice(line.indexOf(' '))) as LoggedEvent }));
}

function toEvent([entry, [, json = 'null']]: [id: string, fields: string[]]): NumberedEvent {
  return { number: Number(entry.slice(0, entry.indexOf('-'))), event: JSON.parse(json) as LoggedEvent };
}
