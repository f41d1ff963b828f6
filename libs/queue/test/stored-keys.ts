import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { FIELD } from '../src/redis/job-fields.js';

/**
 * Keys that may differ: BullMQ's event streams and markers, heartbeats, the names of the last takes, the mean of slot times, BullMQ's
 * number of the last delivery with a priority, which waits in a lane, and BullMQ's copies of results at deliveries, which nobody reads.
 */
const IGNORED =
  /:(?:invocations|scripts|deliveries|flows):(?:events|marker|stalled|stalled-check|fair:mean)$|:(?:pulse|consumers|last-take):|:deliveries:(?:pc|msg_[^:]*:processed)$/;
/** Fields with times, and the field that belongs to the event stream. */
const TIME_FIELDS = new Set([
  'processedOn',
  'finishedOn',
  'timestamp',
  'errand:attempts',
  'errand:begunAt',
  'errand:cancel',
]);
const IGNORED_FIELDS = new Set(['opts.maxLenEvents']);
/** A stack trace names the functions that threw. */
const TEXT_FIELDS = new Set(['stacktrace']);
/** Sets whose scores are times. */
const TIMED_SET = /:(?:completed|failed|delayed|changed|waiting-children|unsuccessful)$|:later:\w+$/;
/** Sets whose scores have the order of arrival. */
const NUMBERED_SET = /:prioritized$|:fair:lane:/;
const HOUR_S = 3_600;

/** Everything that is stored, in a form that two runs of the same jobs have in common: without times, tokens and order of unordered parts. */
export async function storedKeys(redis: Redis): Promise<Record<string, unknown>> {
  const names = (await redis.keys('*')).filter((name) => !IGNORED.test(name)).toSorted();
  // One write for all of them: a write for each command costs more than the command.
  const asked = redis.pipeline();
  for (const name of names) asked.type(name).ttl(name);
  const answers = (await asked.exec()) ?? [];
  const found = await Promise.all(
    names.map(async (name, n) => {
      const [type, seconds] = [answers[2 * n]?.[1] as string, answers[2 * n + 1]?.[1] as number];
      return [name, await storedValue(redis, name, type, seconds)] as const;
    }),
  );
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

async function storedValue(redis: Redis, name: string, type: string, seconds: number): Promise<unknown> {
  const value = await contentOf(redis, name, type);
  // Five minutes of a slow machine do not change the number of hours.
  const hours = seconds < 0 ? undefined : Math.floor((seconds + 300) / HOUR_S);
  if (value === undefined) return undefined;
  return hours === undefined ? value : { value, hours };
}

async function contentOf(redis: Redis, name: string, type: string): Promise<unknown> {
  switch (type) {
    case 'hash':
      return fieldsOf(await redis.hgetall(name));
    case 'list':
      if (name.includes(':runs:')) return { runs: await redis.llen(name) };
      return (await redis.lrange(name, 0, -1))
        .map((text) => (name.endsWith(':stats-log') ? withoutDurations(text) : text))
        .toSorted();
    case 'set':
      return (await redis.smembers(name)).toSorted();
    case 'zset':
      return scoredOf(name, await redis.zrange(name, '0', '-1', 'WITHSCORES'));
    case 'stream':
      return (await redis.xrange(name, '-', '+')).map(([id, fields]) => [id, fields.map(withoutTimes)]);
    case 'string':
      return name.endsWith('change-clock') ? 'time' : redis.get(name);
    default:
      return undefined;
  }
}

/** An entry of the log of statistics: whether it has durations, and what ended. */
function withoutDurations(text: string): string {
  const [, waited = '', ran = '', what = '{}'] = text.split(/ (?=[-\d{])/);
  const entry = Object.entries(JSON.parse(what) as object).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([waited === '-', ran === '-', entry]);
}

/** A job that another program has added gets the field for its lane when it comes there. Before, its data name the tenant. */
function withLane(hash: Record<string, string>): Record<string, string> {
  const tenant = /^{"tenant":"([\w-]+)"/.exec(hash['data'] ?? '')?.[1];
  return tenant !== undefined && hash['opts'] !== undefined ? { [FIELD.lane]: `0:${tenant}:`, ...hash } : hash;
}

function fieldsOf(hash: Record<string, string>): unknown {
  const entries = Object.entries(withLane(hash))
    .filter(([field]) => !IGNORED_FIELDS.has(field))
    .map(
      ([field, text]) =>
        [field, TIME_FIELDS.has(field) ? 'time' : TEXT_FIELDS.has(field) ? 'text' : shortOf(text)] as const,
    );
  return entries.length === 0
    ? undefined
    : Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The score of a job with a priority, or in a lane, ends in a number in the order of arrival. The bit before it tells whether it returned. */
function scoredOf(name: string, scored: readonly string[]): Record<string, string | number> {
  const members: [string, string | number][] = [];
  for (let n = 0; n < scored.length; n += 2) {
    const score = Number(scored[n + 1]);
    const shown = TIMED_SET.test(name) ? 'time' : NUMBERED_SET.test(name) ? Math.floor(score / 2 ** 31) : score;
    members.push([scored[n] ?? '', shown]);
  }
  return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** A long text is shown by its beginning and its digest. */
function shortOf(text: string): string {
  if (text.length <= 200) return text;
  return `${text.slice(0, 100)} … ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

function withoutTimes(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');
}
