import type { Invocation } from '@errand/contracts';
import { LIST_SCHEMAS } from './openapi/list-schemas.js';

/** The names that `fields` may have. */
export const LISTED_FIELDS: readonly string[] = Object.keys(LIST_SCHEMAS.InvocationItem.properties);

/** Without `fields`, an item of a list lacks these. */
const ON_REQUEST: ReadonlySet<string> = new Set(['steps', 'calls', 'observation', 'messages']);
/** These need data that is stored beside the job of an invocation. */
const DETAILS: ReadonlySet<string> = new Set([...ON_REQUEST, 'artifacts']);

/** The fields of the items of a list. */
export interface ListFields {
  names: ReadonlySet<string>;
  /** The items need the whole steps and artifacts. */
  details: boolean;
}

/** The fields of the items: all but the long ones, or the given ones. `id` is always among them. */
export function chooseFields(given: readonly string[] | undefined): ListFields {
  if (!given) return { names: new Set(LISTED_FIELDS.filter((name) => !ON_REQUEST.has(name))), details: false };
  return { names: new Set(['id', ...given]), details: given.some((name) => DETAILS.has(name)) };
}

/** The item of a list: the invocation with these fields only. */
export function toListItem(invocation: Invocation, { names }: ListFields): Partial<Invocation> {
  return Object.fromEntries(Object.entries(invocation).filter(([name]) => names.has(name)));
}
