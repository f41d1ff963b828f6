import { getMetadataStorage, ValidationTypes } from 'class-validator';
import type { KeyBounds } from '../bounded-keys.js';
import { rulesOf, type Dto } from '../dto.js';
import { free, list, ref } from './schema-terms.js';

type Constraint = string | number | RegExp | readonly string[] | KeyBounds | undefined;

/** The JSON Schema of each rule of class-validator that the DTOs use, from the first constraint of the rule. */
const KEYWORDS: Readonly<Record<string, (constraint: Constraint) => object>> = {
  isString: () => ({ type: 'string' }),
  isNotEmpty: () => ({ minLength: 1 }),
  maxLength: (maxLength) => ({ maxLength }),
  matches: (pattern) => ({ type: 'string', pattern: pattern instanceof RegExp ? pattern.source : undefined }),
  isBase64: () => ({ type: 'string', contentEncoding: 'base64' }),
  isIn: (values) => ({ enum: values }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  min: (minimum) => ({ minimum }),
  max: (maximum) => ({ maximum }),
  isObject: () => free,
  boundedKeys: (bounds) => keyBounds(bounds as KeyBounds),
  isArray: () => ({ type: 'array' }),
  arrayMinSize: (minItems) => ({ minItems }),
  arrayMaxSize: (maxItems) => ({ maxItems }),
  // JSON Schema compares whole items. A rule that compares names is part of the description.
  arrayUnique: (identifier) => (identifier === undefined ? { uniqueItems: true } : {}),
};

function keyBounds({ count, length }: KeyBounds): object {
  return { maxProperties: count, propertyNames: { maxLength: length } };
}

interface ObjectSchema {
  type: 'object';
  properties: Record<string, object>;
  required: string[];
  additionalProperties: false;
}

/**
 * The JSON Schema of a DTO, from its rules.
 * @param notes keywords by field that the rules do not have, such as `description`; a `$ref` replaces the generated schema
 * @throws Error for a rule without a keyword
 */
export function schemaOf(dto: Dto, notes: Readonly<Record<string, object>> = {}): ObjectSchema {
  const properties: Record<string, object> = {};
  const required: string[] = [];
  for (const [name, { optional, nesting }] of rulesOf(dto)) {
    const keywords = keywordsOf(dto, name);
    const nested = nesting && (nesting.each ? list(ref(nesting.dto.name)) : ref(nesting.dto.name));
    const note = notes[name] ?? {};
    properties[name] = '$ref' in note ? note : { ...keywords, ...nested, ...note };
    if (!optional && (nested || Object.keys(keywords).length > 0)) required.push(name);
  }
  return { type: 'object', properties, required, additionalProperties: false };
}

function keywordsOf(dto: Dto, field: string): object {
  const rules = getMetadataStorage()
    .getTargetValidationMetadatas(dto, '', false, false)
    .filter(({ propertyName, type }) => propertyName === field && type === ValidationTypes.CUSTOM_VALIDATION);
  let schema: Record<string, unknown> = {};
  for (const { name = '', constraints, each } of rules) {
    const keyword = KEYWORDS[name]?.((constraints as readonly Constraint[] | undefined)?.[0]);
    if (!keyword) throw new Error(`${dto.name}.${field} has the rule '${name}', which has no JSON Schema here`);
    if (each) schema = { ...schema, items: { ...(schema['items'] as object | undefined), ...keyword } };
    else schema = { ...schema, ...keyword };
  }
  return schema;
}
