import type { InvocationRow } from '@errand/contracts';
import type { QueryChanges } from '../../api/use-url-query.js';

/** The filters of the list by the names that the API and the address have: `status`, `toolId`, `metadata.<key>`, … */
export type ListFilters = ReadonlyMap<string, string>;

export const FILTER_NAMES = ['status', 'toolId', 'agent', 'session', 'errorType', 'from', 'to'] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

/** The types of errors that an invocation can end with. */
export const ERROR_TYPES = [
  'CancelledError',
  'DependencyError',
  'LostError',
  'NodeError',
  'OutputError',
  'ParameterValidationError',
  'ResourceLimitError',
  'ScriptError',
  'SecurityError',
  'ServiceError',
  'TimeoutError',
] as const;

const METADATA = 'metadata.';

/** The filters in the query of an address. */
export function filtersIn(search: string): ListFilters {
  const names: readonly string[] = FILTER_NAMES;
  return new Map(
    [...new URLSearchParams(search)].filter(
      ([name, value]) => value !== '' && (names.includes(name) || (name.startsWith(METADATA) && name !== METADATA)),
    ),
  );
}

/** The filters as a query of the API. */
export function queryOf(filters: ListFilters): Record<string, string> {
  return Object.fromEntries(filters);
}

/** The filters on metadata as one text: `ticket=7, team=blue`. */
export function metadataText(filters: ListFilters): string {
  return [...filters]
    .flatMap(([name, value]) => (name.startsWith(METADATA) ? [`${name.slice(METADATA.length)}=${value}`] : []))
    .join(', ');
}

/** The changes of the address for a text of filters on metadata. Undefined if the text is no `key=value, …`. */
export function metadataChanges(filters: ListFilters, text: string): QueryChanges | undefined {
  const pairs = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  const found = pairs.map((pair): [string, string] => {
    const equals = pair.indexOf('=');
    return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
  });
  if (pairs.some((pair) => pair.indexOf('=') < 1) || found.some(([key, value]) => key === '' || value === ''))
    return undefined;
  const gone = [...filters.keys()].filter((name) => name.startsWith(METADATA));
  return Object.fromEntries([
    ...gone.map((name) => [name, undefined] as const),
    ...found.map(([key, value]) => [METADATA + key, value] as const),
  ]);
}

/** Whether a row fulfils the filters. Undefined if a row does not tell: it has no metadata. */
export function matchesRow(filters: ListFilters, row: InvocationRow): boolean | undefined {
  const own = new Map<string, (value: string) => boolean>([
    ['status', (value) => value.split(',').includes(row.status)],
    ['toolId', (value) => row.toolIds.includes(value)],
    ['agent', (value) => row.agent === value],
    ['session', (value) => row.session === value],
    ['errorType', (value) => row.errorType === value],
    ['from', (value) => Date.parse(row.createdAt) >= Date.parse(value)],
    ['to', (value) => Date.parse(row.createdAt) < Date.parse(value)],
  ]);
  let isKnown = true;
  for (const [name, value] of filters) {
    const isMatch = own.get(name)?.(value);
    if (isMatch === false) return false;
    if (isMatch === undefined) isKnown = false;
  }
  return isKnown ? true : undefined;
}

/** An ISO time as a value of `<input type="datetime-local">` in the zone of the reader; '' without a time. */
export function localTimeOf(iso: string | undefined): string {
  const time = new Date(iso ?? NaN);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The ISO time of a value of `<input type="datetime-local">`; undefined without one. */
export function isoOfLocalTime(value: string): string | undefined {
  const time = new Date(value);
  return value === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
