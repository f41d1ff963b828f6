import { createHash } from 'node:crypto';
import { canonicalJson, didYouMean, isInvocationId, STATUSES, type Status } from '@errand/contracts';
import { LONGEST_INDEXED, type InvocationQuery } from '@errand/queue';
import { withDottedMetadata } from './metadata-filter.js';
import { ProblemError } from './problem-error.js';
import { wholeNumber } from './read-parameter.js';

/** The parameters of `GET /v1/invocations`. */
interface ListQuery {
  sought: InvocationQuery;
  limit: number;
  /** The page begins after this id. */
  after?: string;
}

const NAMES = ['status', 'toolId', 'agent', 'session', 'from', 'to', 'limit', 'cursor', 'metadata.<key>'] as const;
const METADATA = 'metadata.';
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

/** @throws ProblemError with the first wrong parameter, and how to fix it */
export function readListQuery(query: Readonly<Record<string, unknown>>): ListQuery {
  const texts = new Map(Object.entries(withDottedMetadata(query)).map(([name, value]) => [name, textOf(name, value)]));
  for (const name of texts.keys()) requireKnown(name);
  const sought = readSought(texts);
  const after = readCursor(texts.get('cursor'), sought);
  return { sought, limit: readLimit(texts.get('limit')), ...(after !== undefined && { after }) };
}

/** A cursor holds a digest of the filters, because it is valid for the same filters only. */
export function toCursor(sought: InvocationQuery, next: string | undefined): string | null {
  return next === undefined ? null : Buffer.from(`${digestOf(sought)}:${next}`).toString('base64url');
}

function readCursor(cursor: string | undefined, sought: InvocationQuery): string | undefined {
  if (cursor === undefined) return undefined;
  const [digest, id = ''] = Buffer.from(cursor, 'base64url').toString().split(':');
  if (!isInvocationId(id)) return refuse('cursor must be a nextCursor that this list has given');
  if (digest !== digestOf(sought)) return refuse('cursor belongs to a list with other filters; begin without a cursor');
  return id;
}

function digestOf(sought: InvocationQuery): string {
  return createHash('sha256').update(canonicalJson(sought)).digest('base64url').slice(0, 10);
}

function readSought(texts: ReadonlyMap<string, string>): InvocationQuery {
  const metadata = [...texts].flatMap(([name, value]) =>
    name.startsWith(METADATA) ? [[name.slice(METADATA.length), value] as const] : [],
  );
  const given = (['toolId', 'agent', 'session'] as const).flatMap((name) => {
    const text = texts.get(name);
    return text === undefined ? [] : [[name, text] as const];
  });
  const toolId = texts.get('toolId');
  if (toolId?.includes('@')) refuse(`toolId must be given without a version: ${toolId.split('@', 1)[0]}`);
  const status = readStatus(texts.get('status'));
  const from = readTime('from', texts.get('from'));
  const to = readTime('to', texts.get('to'));
  return {
    ...Object.fromEntries(given),
    ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata) }),
    ...(status !== undefined && { status }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

function readStatus(text: string | undefined): Status | undefined {
  if (text === undefined || STATUSES.includes(text as Status)) return text as Status | undefined;
  return refuse(`status must be one of ${STATUSES.join(', ')}, not '${text.slice(0, 40)}'${hint(text, STATUSES)}`);
}

/** Reads ISO 8601 with a time zone. Without a zone, the time would depend on the machine. */
function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const day = text.slice(0, 10);
  const ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : NaN;
  // `Date` reads the 30th of February as the 2nd of March.
  if (ms >= 0 && new Date(day).toISOString().startsWith(day)) return ms;
  return refuse(`${name} must be a time such as 2026-11-21T09:30:00Z, or a day, not '${text.slice(0, 40)}'`);
}

function readLimit(text: string | undefined): number {
  const limit = wholeNumber('limit', text, DEFAULT_LIMIT);
  return limit >= 1 && limit <= MAX_LIMIT ? limit : refuse(`limit must be from 1 to ${MAX_LIMIT}, not ${limit}`);
}

function requireKnown(name: string): void {
  if (name.startsWith(METADATA) && name.length > METADATA.length) return;
  if ((NAMES as readonly string[]).includes(name)) return;
  refuse(`Unknown filter '${name.slice(0, 80)}'${hint(name, NAMES)}; known are ${NAMES.join(', ')}`);
}

function textOf(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : refuse(`${name.slice(0, 80)} may be given once`);
  if (text === '') return refuse(`${name.slice(0, 80)} is empty; leave it out to match every value`);
  return text.length <= LONGEST_INDEXED || name === 'cursor'
    ? text
    : refuse(`${name.slice(0, 80)} is longer than the ${LONGEST_INDEXED} characters that a filter may have`);
}

function hint(given: string, known: readonly string[]): string {
  const suggestion = didYouMean(given, known);
  return suggestion === undefined ? '' : `, did you mean '${suggestion}'?`;
}

function refuse(message: string): never {
  throw new ProblemError('invalid_request', message);
}
