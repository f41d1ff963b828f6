import { MESSAGE_ROLES } from '@errand/contracts';

export const text = { type: 'string' };
/** ISO 8601 in UTC, or null if it is not known yet. */
export const time = { type: ['string', 'null'], format: 'date-time' };
export const whole = { type: 'integer' };
/** Any JSON value. */
export const anything = {};
/** An object with any fields. */
export const free = { type: 'object', additionalProperties: true };
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const list = (items: object) => ({ type: 'array', items });
/** An object with these properties. By default, all of them are required. */
export const object = (properties: Record<string, object>, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
/** What an answer says of the shards that did not answer. */
export const PARTIAL = {
  partial: { const: true, description: 'Some shards did not answer: what they hold is missing' },
  missingShards: { ...list(text), description: 'The shards that are missing, with `partial`' },
};
/** A page of a list. */
export const page = (name: string) => object({ items: list(ref(name)), nextCursor: { type: ['string', 'null'] } });
/** A page of the list of all shards. */
export const partialPage = (name: string, more: Record<string, object> = {}) =>
  object({ ...page(name).properties, ...more, ...PARTIAL }, ['items', 'nextCursor']);
/** The role of a message of a session. */
export const MESSAGE_ROLE = { enum: MESSAGE_ROLES };
/** Messages of a model API. */
export const MESSAGES = {
  ...list(free),
  description: 'For a `message`: the answers to its calls, in the form of its API, ready to append to it',
};
/** A part of a text. */
export const TEXT_RANGE = {
  ...object({ line: whole, column: whole, endLine: whole, endColumn: whole }),
  description: 'Lines and columns are 1-based; the end is behind the last character',
};
/** Where the values of a call are written. */
export const VALUE_PLACES = {
  type: 'object',
  description: 'Where each value is written, by JSON Pointer into the arguments; 1,000 values of a text at most',
  additionalProperties: object({ ...TEXT_RANGE.properties, raw: text, repair: text }, [...TEXT_RANGE.required, 'raw']),
};
