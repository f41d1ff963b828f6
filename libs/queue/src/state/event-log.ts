import type { InvocationEvent } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { FIELD as JOB_FIELD, keys, type QueueName } from '../redis/names.js';
import { LuaScript } from '../redis/lua-script.js';

/**
 * An event as it is stored. `at` is ISO 8601. The end is read from the job, and so are the statuses that every invocation has: `queued` before
 * all events, the first `running` before the first of them, and the last one after them.
 */
export type LoggedEvent = Exclude<InvocationEvent, { event: 'end' }> & { at: string };

/** How something stands from now on, for those who read the invocation: a field of its state, and the value. */
export type StateChange = readonly [field: string, value: unknown];

/** Events of one invocation that are kept; older ones fall out. */
const KEPT = 5_000;
/** Lines that come close together travel together. */
const GATHER_MS = 10;
/** More than that goes in several turns: other commands may pass in between. */
const AT_ONCE = 500;
const FIELD = 'e';
export const PROGRESS_FIELD = 'progress';

/** `newest(stream)`, for scripts: the number of the newest event, 0 where there is none. */
const NEWEST = `
local function newest(stream)
  local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
  return last and tonumber(string.match(last[1], '^%d+')) or 0
end
`;

/**
 * `tellStatus(job, stream, id, status, at)`, for scripts: appends a status to the events of an invocation, in the step that brings it about,
 * unless it was told last, and wakes listeners. The stream stays as long as the invocation.
 */
export const TELL_STATUS = `
${NEWEST}
local function tellStatus(job, stream, id, status, at)
  if (redis.call('HGET', job, '${JOB_FIELD.told}') or 'running') == status then return end
  redis.call('HSET', job, '${JOB_FIELD.told}', status)
  local text = '{"event":"status","status":"' .. status .. '","at":"' .. at .. '"}'
  redis.call('XADD', stream, string.format('%d-0', newest(stream) + 1), '${FIELD}', text)
  redis.call('PUBLISH', '${keys.news}', id)
end
`;

/**
 * Events are numbered without a gap, from 1 on: whoever knows the last that he was told sees whether some are missing.
 *
 * KEYS: 1 stream, 2 state, 3 channel, 4 job.
 * ARGV: 1 attempt ('' for none), 2 seconds to keep, 3 id, 4 number of events, the events, then field, value, … of the state.
 */
const TELL = new LuaScript<0 | 1>(`
${NEWEST}
if ARGV[1] ~= '' and redis.call('HGET', KEYS[4], 'ats') ~= ARGV[1] then return 0 end
local last = 4 + ARGV[4]
if last > 4 then
  local number = newest(KEYS[1])
  for n = 5, last do
    number = number + 1
    redis.call('XADD', KEYS[1], 'MAXLEN', '~', ${KEPT}, string.format('%d-0', number), '${FIELD}', ARGV[n])
  end
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
if #ARGV > last then
  redis.call('HSET', KEYS[2], unpack(ARGV, last + 1))
  redis.call('EXPIRE', KEYS[2], ARGV[2])
end
redis.call('PUBLISH', KEYS[3], ARGV[3])
return 1`);

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
      [keys.events(this.id), keys.state(this.id), keys.news, job],
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
