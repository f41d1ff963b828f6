import {
  didYouMean,
  ERROR_TYPES,
  isBatchId,
  isInvocationId,
  STATUSES,
  type ErrorType,
  type Status,
} from '@errand/contracts';
import { LONGEST_INDEXED, type InvocationQuery } from '@errand/queue';
import { METADATA_KEYS } from './bounded-keys.js';
import { readCursor } from './list-cursor.js';
import { chooseFields, LISTED_FIELDS, type ListFields } from './list-fields.js';
import { withDottedMetadata } from './metadata-filter.js';
import { ProblemError } from './problem-error.js';
import { timeOf, wholeNumber } from './read-parameter.js';

/** The parameters of `GET /v1/invocations`. */
interface ListQuery {
  sought: InvocationQuery;
  limit: number;
  fields: ListFields;
  /** The items are rows: a fixed, small shape. */
  rows: boolean;
  /** The response has the number of matches. */
  counts: boolean;
  /** The page begins after this position. */
  after?: string;
}

const TEXTS = ['toolId', 'agent', 'session', 'batch', 'parent'] as const;
const TIMES = ['from', 'to', 'finishedFrom', 'finishedTo', 'updatedAfter'] as const;
/** Comma lists; each part has a check of its own. */
const LISTS = ['status', 'ids', 'fields'] as const;
/** The filters. `tenant` is read with the scope of the request. */
const FILTERS: readonly string[] = ['status', 'ids', ...TEXTS, ...TIMES, 'errorType', 'tenant', 'metadata.<key>'];
const NAMES: readonly string[] = [...FILTERS, 'fields', 'view', 'count', 'limit', 'cursor'];
const METADATA = 'metadata.';
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;
const MAX_IDS = 100;

/** @throws ProblemError with the first wrong parameter, and how to fix it */
export function readListQuery(tenant: string, query: Readonly<Record<string, unknown>>): ListQuery {
  const texts = textsOf(query, NAMES);
  const sought = readSought(texts);
  const after = readCursor(texts.get('cursor'), { tenant, sought });
  return {
    sought,
    limit: readLimit(texts.get('limit'), sought.ids?.length ?? DEFAULT_LIMIT),
    fields: chooseFields(readWords('fields', texts, LISTED_FIELDS)),
    rows: readView(texts),
    counts: readFlag('count', texts.get('count')),
    ...(after !== undefined && { after }),
  };
}

/** The filters of a request that has no pages, such as a count. @throws ProblemError with the first wrong parameter */
export function readFilters(query: Readonly<Record<string, unknown>>): InvocationQuery {
  return readSought(textsOf(query, FILTERS));
}

/** The parameters as texts. @throws ProblemError for one that is not among `names` */
function textsOf(query: Readonly<Record<string, unknown>>, names: readonly string[]): Map<string, string> {
  const parameters = Object.entries(withDottedMetadata(query));
  for (const [name] of parameters) requireKnown(name, names);
  return new Map(parameters.map(([name, value]) => [name, textOf(name, value)]));
}

function readSought(texts: ReadonlyMap<string, string>): InvocationQuery {
  const metadata = [...texts].flatMap(([name, value]) =>
    name.startsWith(METADATA) ? [[name.slice(METADATA.length), value] as const] : [],
  );
  // Each key is a key of Redis in one script.
  if (metadata.length > METADATA_KEYS.count)
    refuse(`metadata may have ${METADATA_KEYS.count} keys at most, not ${metadata.length}; an invocation has no more`);
  const toolId = texts.get('toolId');
  if (toolId?.includes('@')) refuse(`toolId must be given without a version: ${toolId.split('@', 1)[0]}`);
  const batch = texts.get('batch');
  if (batch !== undefined && !isBatchId(batch)) refuse('batch must be the id of a batch, bat_…');
  const parent = texts.get('parent');
  if (parent !== undefined && !isInvocationId(parent)) refuse('parent must be the id of a turn, inv_…');
  const statuses = readWords('status', texts, STATUSES) as Status[] | undefined;
  const ids = readIds(texts);
  const sought: InvocationQuery = {
    ...given(TEXTS, (name) => texts.get(name)),
    ...given(TIMES, (name) => timeOf(name, texts.get(name))),
    ...readErrorType(texts.get('errorType')),
    ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata) }),
    ...(statuses && { statuses }),
    ...(ids && { ids }),
  };
  const { from = 0, to = Infinity, finishedFrom = 0, finishedTo = Infinity } = sought;
  if (from > to) refuse('from must not be later than to; exchange the two times');
  if (finishedFrom > finishedTo) refuse('finishedFrom must not be later than finishedTo; exchange the two times');
  return sought;
}

/** The given parameters of these names. */
function given<Name extends string, T>(names: readonly Name[], read: (name: Name) => T | undefined) {
  const entries = names.flatMap((name) => {
    const value = read(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries) as { [name in Name]?: T };
}

/** The parts of a comma list, each once and in a fixed order, so that a cursor stays valid in another order. */
function partsOf(name: string, texts: ReadonlyMap<string, string>): string[] | undefined {
  const parts = texts.get(name)?.split(',');
  if (parts?.includes('')) refuse(`${name} has an empty part; separate its parts by one comma, such as a,b`);
  return parts && [...new Set(parts)].toSorted();
}

function readWords(name: string, texts: ReadonlyMap<string, string>, known: readonly string[]): string[] | undefined {
  const words = partsOf(name, texts);
  const wrong = words?.find((word) => !known.includes(word));
  if (wrong === undefined) return words;
  return refuse(`${name} must have only ${known.join(', ')}, not '${wrong.slice(0, 40)}'${hint(wrong, known)}`);
}

function readErrorType(text: string | undefined): Pick<InvocationQuery, 'errorType'> {
  if (text === undefined) return {};
  const known = Object.keys(ERROR_TYPES);
  if (known.includes(text)) return { errorType: text as ErrorType };
  return refuse(`errorType must be one of ${known.join(', ')}, not '${text.slice(0, 40)}'${hint(text, known)}`);
}

function readIds(texts: ReadonlyMap<string, string>): string[] | undefined {
  const ids = partsOf('ids', texts);
  if (!ids) return undefined;
  if (ids.length > MAX_IDS) refuse(`ids may have ${MAX_IDS} ids at most, not ${ids.length}; ask for the others next`);
  const wrong = ids.find((id) => !isInvocationId(id));
  return wrong === undefined ? ids : refuse(`ids must have ids such as inv_01…, not '${wrong.slice(0, 80)}'`);
}

function readLimit(text: string | undefined, fallback: number): number {
  const limit = wholeNumber('limit', text, fallback);
  return limit >= 1 && limit <= MAX_LIMIT ? limit : refuse(`limit must be from 1 to ${MAX_LIMIT}, not ${limit}`);
}

/** @throws ProblemError for a row with chosen fields: its shape is fixed */
function readView(texts: ReadonlyMap<string, string>): boolean {
  const view = texts.get('view');
  if (view === undefined) return false;
  if (view !== 'row') refuse(`view must be row, not '${view.slice(0, 40)}'`);
  if (texts.has('fields')) refuse('view=row has fixed fields; leave out fields, or leave out view');
  return true;
}

function readFlag(name: string, text: string | undefined): boolean {
  if (text === undefined || text === 'true' || text === 'false') return text === 'true';
  return refuse(`${name} must be true or false, not '${text.slice(0, 40)}'`);
}

function requireKnown(name: string, names: readonly string[]): void {
  if (name.startsWith(METADATA) && name.length > METADATA.length) return;
  if (names.includes(name)) return;
  refuse(`Unknown filter '${name.slice(0, 80)}'${hint(name, names)}; known are ${names.join(', ')}`);
}

/** Some generated clients repeat the parameter for each part of a list. */
function textOf(name: string, value: unknown): string {
  const isList = (LISTS as readonly string[]).includes(name);
  const whole = isList && Array.isArray(value) ? value.join(',') : value;
  const text = typeof whole === 'string' ? whole : refuse(`${name.slice(0, 80)} ${faultOf(whole)}`);
  if (text === '') return refuse(`${name.slice(0, 80)} is empty; leave it out to match every value`);
  return text.length <= LONGEST_INDEXED || name === 'cursor' || isList
    ? text
    : refuse(`${name.slice(0, 80)} is longer than the ${LONGEST_INDEXED} characters that a filter may have`);
}

/** An address has texts only. The filter of a bulk action is JSON. */
function faultOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'may be given once' : 'must be a text';
}

function hint(text: string, known: readonly string[]): string {
  const suggestion = didYouMean(text, known);
  return suggestion === undefined ? '' : `, did you mean '${suggestion}'?`;
}

function refuse(message: string): never {
  throw new ProblemError('invalid_request', message);
}
