import type { Ajv2020, FormatDefinition } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Longer texts are no address, date or the like. The patterns of some formats take time quadratic in the length. */
const MAX_LENGTH = 4096;
/** Formats of any length, which are checked in linear time or not at all. */
const UNBOUNDED = new Set(['byte', 'binary', 'password']);

type Check = RegExp | ((text: string) => boolean) | FormatDefinition<string>['validate'];

/** Adds the formats of JSON Schema and OpenAPI; a text of more than 4,096 characters fits none but those of binary data. */
export function addBoundedFormats(ajv: Ajv2020): void {
  addFormats.default(ajv);
  for (const [name, format] of Object.entries(ajv.formats)) {
    if (UNBOUNDED.has(name) || format === undefined || typeof format === 'boolean') continue;
    if (typeof format === 'function' || format instanceof RegExp) ajv.addFormat(name, bounded(format));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- those for texts name no type or 'string'
    else if (format.type !== 'number') ajv.addFormat(name, bounded((format as FormatDefinition<string>).validate));
  }
}

function bounded(check: Check): (text: string) => boolean {
  const pattern = typeof check === 'function' ? undefined : new RegExp(check);
  const fits = pattern ? (text: string) => pattern.test(text) : check;
  return (text) => text.length <= MAX_LENGTH && typeof fits === 'function' && fits(text) === true;
}
