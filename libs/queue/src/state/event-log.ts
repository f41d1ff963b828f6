import { join } from 'node:path';
import type { InvocationEvent } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keys, type QueueName } from '../redis/names.js';
import { loadScript } from '../redis/lua-script.js';

/**
 * An event as it is stored. `at` is ISO 8601. The end is read from the job, and so are the statuses that every invocation has: `queued` before
 * all events, the first `running` before the first of them, and the last one after them.
 */
export type LoggedEvent = Exclude<InvocationEvent, { event: 'end' }> & { at: string };

/** How something stands from now on, for those who read the invocation: a field of its state, and the value. */
export type StateChange = readonly [field: string, value: unknown];

/** Lines that come close together travel together. */
const GATHER_MS = 10;
/** More than that goes in several turns: other commands may pass in between. */
const AT_ONCE = 500;
export const PROGRESS_FIELD = 'progress';

const TELL = loadScript<0 | 1>(join(__dirname, 'append-events.lua'));

/**
 * Tells what happens in a running invocation: into a Redis stream of its own, which can be read from any point; as its present
 * state, which can be read at once; and, as a bare id, on the one channel that wakes listeners. What comes within 10 ms is told
 * together; the order is kept. With a `fence`, only as long as that attempt is the last.
 */
export class EventWriter {
  private gathered: LoggedEvent[] = [];
  private changes = new Map<string, unknown>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly queues: Queues,
    private readonly id: string,
    private readonly onError: (error: unknown) => void,
    private readonly fence?: { queue: QueueName; attempt: number },
  ) {}

  emit(event: Exclude<InvocationEvent, { event: 'status' | 'end' }>, ...changes: readonly StateChange[]): void {
    this.gathered.push({ ...event, at: new Date().toISOString() });
    if (event.event === 'progress') this.changes.set(PROGRESS_FIELD, event.value);
    for (const [field, value] of changes) this.changes.set(field, value);
    this.timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  /** Resolves when all that was emitted is stored (or could not be, which `onError` was told). */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { gathered, changes } = this;
    this.gathered = [];
    this.changes = new Map();
    if (gathered.length > 0) this.writing = this.writing.then(() => this.store(gathered, changes)).catch(this.onError);
    return this.writing;
  }

  private async store(events: readonly LoggedEvent[], changes: ReadonlyMap<string, unknown>): Promise<void> {
    const texts = events.map((event) => JSON.stringify(event));
    const pairs = [...changes].map(([field, value]) => [field, JSON.stringify(value)]);
    for (let from = 0; from < Math.max(texts.length, pairs.length); from += AT_ONCE) {
      await this.tell(texts.slice(from, from + AT_ONCE), pairs.slice(from, from + AT_ONCE).flat());
    }
  }

  private async tell(texts: readonly string[], pairs: readonly string[]): Promise<void> {
    const { redis, retention } = this.queues;
    const job = keys.job(this.fence?.queue ?? 'invocations', this.id);
    await TELL.run(
      redis,
      [keys.events(this.id), keys.state(this.id), keys.notifications, job],
      [this.fence?.attempt ?? '', retention.ageSeconds, this.id, texts.length, ...texts, ...pairs],
    );
  }
}

/** An event and its number: the first that an invocation tells has 1, and each has one more than the one before it. */
export interface NumberedEvent {
  number: number;
  event: LoggedEvent;
}

/** The event that was told last. */
export async function readLastEvent(queues: Queues, id: string): Promise<NumberedEvent | undefined> {
  const [last] = await queues.redis.xrevrange(keys.events(id), '+', '-', 'COUNT', 1);
  return last && toEvent(last);
}

/** Events after the one with the number `after` (0: from the first), oldest first, at most `count`. The oldest may be gone. */
export async function readEvents(queues: Queues, id: string, after = 0, count = 500): Promise<NumberedEvent[]> {
  const rows = await queues.redis.xrange(keys.events(id), `(${after}-0`, '+', 'COUNT', count);
  return rows.map(toEvent);
}

function toEvent([entry, [, json]]: [id: string, fields: string[]]): NumberedEvent {
  return { number: Number(entry.slice(0, entry.indexOf('-'))), event: JSON.parse(json!) as LoggedEvent };
}
