import type { InvocationEvent } from '@errand/contracts';
import type { Queues } from './connect.js';
import { PROGRESS_FIELD } from './journal.js';
import { keys } from './names.js';

/** An event as it is stored: everything but `status` and `end`, which are read from the job. `at` is ISO 8601. */
export type LoggedEvent = Exclude<InvocationEvent, { event: 'status' | 'end' }> & { at: string };

/** Events of one invocation that are kept; older ones fall out. */
const KEPT = 5_000;
/** Lines that come close together travel together. */
const GATHER_MS = 10;
const FIELD = 'e';

/**
 * Tells what happens in a running invocation: into a Redis stream of its own, which can be read from any point, and, as a
 * bare id, on the one channel that wakes listeners. Events are gathered for 10 ms; order is kept.
 */
export class EventWriter {
  private gathered: LoggedEvent[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly queues: Queues,
    private readonly id: string,
    private readonly onError: (error: unknown) => void,
  ) {}

  emit(event: Exclude<InvocationEvent, { event: 'status' | 'end' }>): void {
    this.gathered.push({ ...event, at: new Date().toISOString() });
    this.timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  /** Resolves when all that was emitted is stored (or could not be, which `onError` was told). */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const events = this.gathered;
    this.gathered = [];
    if (events.length > 0) this.writing = this.writing.then(() => this.store(events)).catch(this.onError);
    return this.writing;
  }

  private async store(events: readonly LoggedEvent[]): Promise<void> {
    const { redis, retention } = this.queues;
    const stream = keys.events(this.id);
    const pipeline = redis.pipeline();
    for (const event of events) pipeline.xadd(stream, 'MAXLEN', '~', KEPT, '*', FIELD, JSON.stringify(event));
    pipeline.expire(stream, retention.ageSeconds);
    const progress = events.findLast((event) => event.event === 'progress');
    if (progress) {
      pipeline.hset(keys.journal(this.id), PROGRESS_FIELD, progress.value);
      pipeline.expire(keys.journal(this.id), retention.ageSeconds);
    }
    pipeline.publish(keys.news, this.id);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }
}

/** Events after the one with id `after` (`0-0`: from the first), oldest first, at most `count`. */
export async function readEvents(
  queues: Queues,
  id: string,
  after = '0-0',
  count = 500,
): Promise<{ id: string; event: LoggedEvent }[]> {
  const rows = await queues.redis.xrange(keys.events(id), `(${after}`, '+', 'COUNT', count);
  return rows.map(([eventId, [, json]]) => ({ id: eventId, event: JSON.parse(json!) as LoggedEvent }));
}
