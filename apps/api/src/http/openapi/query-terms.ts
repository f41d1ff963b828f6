import { LONGEST_INDEXED } from '@errand/queue';
import { parameter } from './path-terms.js';
import { text } from './schema-terms.js';

/** A number of a step or a character, from 0. */
export const INDEX = { type: 'integer', minimum: 0 };
export const COUNT = { type: 'integer', minimum: 1 };
/** A value that a list is searched for. */
export const FILTER = { ...text, minLength: 1, maxLength: LONGEST_INDEXED };
/** A time in ISO 8601 with a time zone, or a day in UTC. */
export const TIME = {
  ...text,
  pattern: String.raw`^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$`,
  examples: ['2026-11-21T09:30:00Z', '2026-11-21'],
};

/** A deep object, because a generated client can send only parameters with a fixed name. */
export const METADATA_FILTER = {
  ...parameter(
    'query',
    'metadata',
    'Only invocations whose metadata has this text, number or boolean at the key: `metadata[key]=value` or `metadata.key=value`',
    { type: 'object', additionalProperties: FILTER },
  ),
  style: 'deepObject',
  explode: true,
};
