import { isInvocationId } from '@errand/contracts';
import { LOG_START } from '@errand/queue';
import { formatCursor, parseCursor, type EventCursor } from '../stream/event-cursor.js';

/** How far a client has read the feed and each stream that it follows. */
export interface FeedPosition {
  /** The number of the last change by keyspace. */
  changes: ReadonlyMap<string, number>;
  /** The id of the last event of the log. */
  log: string;
  /** The time at which the server gave the position (ms). */
  at: number;
  followed: ReadonlyMap<string, EventCursor>;
}

const VERSION = 'f1';

/** The position as the `id` of an event. Every process of the API can resume from it. */
export function formatPosition({ changes, log, at, followed }: FeedPosition): string {
  const parts = [
    VERSION,
    [...changes].map(([keyspace, number]) => `${keyspace.slice(1, -1)}=${number.toString(36)}`).join(','),
    log === LOG_START ? '' : log,
    at.toString(36),
    [...followed].map(([id, cursor]) => `${id}=${formatCursor(cursor)}`).join(','),
  ];
  return Buffer.from(parts.join('|')).toString('base64url');
}

/** Reads the text of `formatPosition`; undefined for any other text. */
export function parsePosition(text: string): FeedPosition | undefined {
  const parts = Buffer.from(text.slice(0, 8_000), 'base64url').toString().split('|');
  const [version, changes = '', log = '', at = '', followed = ''] = parts;
  if (version !== VERSION || parts.length !== 5 || !/^(\d{1,15}-\d{1,15})?$/.test(log)) return undefined;
  const numbers = entriesOf(changes).map(([name, value]) => [`{${name}}`, numberIn(value)] as const);
  const cursors = entriesOf(followed).map(([id, value]) => [id, parseCursor(value)] as const);
  const isWhole =
    Number.isFinite(numberIn(at)) &&
    numbers.every(([name, value]) => /^\{[\w.:-]{1,40}\}$/.test(name) && Number.isFinite(value)) &&
    cursors.every(([id, cursor]) => isInvocationId(id) && cursor !== undefined);
  if (!isWhole) return undefined;
  return {
    changes: new Map(numbers),
    log: log === '' ? LOG_START : log,
    at: numberIn(at),
    followed: new Map(cursors.flatMap(([id, cursor]) => (cursor ? [[id, cursor] as const] : []))),
  };
}

function entriesOf(text: string): [string, string][] {
  if (text === '') return [];
  return text.split(',').map((entry): [string, string] => {
    const equals = entry.indexOf('=');
    return [entry.slice(0, equals), entry.slice(equals + 1)];
  });
}

/** NaN for any text that is no number in base 36 of up to 12 digits. */
function numberIn(text: string): number {
  return /^[0-9a-z]{1,12}$/.test(text) ? parseInt(text, 36) : NaN;
}
