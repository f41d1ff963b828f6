import type { Json, JsonSchema } from '@errand/contracts';

/** A schema and a value that are expensive to validate. */
export interface SchemaAttack {
  name: string;
  /** The parameters of a tool. The value is its parameter `v`. */
  schema: JsonSchema;
  value: Json;
  /** The expected outcome: a refused schema, a stopped validation, or an ordinary validation result. */
  outcome: 'schema refused' | 'stopped' | 'mismatch' | 'fits';
}

const LEVELS = 22;

/** A chain of definitions that each refer to the next one twice. */
function chain(
  link: (next: JsonSchema) => JsonSchema,
  levels = LEVELS,
  last: JsonSchema = { type: 'string' },
): JsonSchema {
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [`l${level}`, link({ $ref: `#/$defs/l${level + 1}` })]),
  );
  return { properties: { v: { $ref: '#/$defs/l0' } }, $defs: { ...$defs, [`l${levels}`]: last } };
}

/** Nested objects. */
function nest(levels: number, leaf: Json, name = 'c'): Json {
  return levels === 0 ? leaf : { [name]: nest(levels - 1, leaf, name) };
}

const many = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));
const of = (v: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ properties: { v }, ...more });
const doubled = (keyword: string) => chain((next) => ({ [keyword]: [next, next] }));
const bag = (size: number, prefix = 'name'): Json =>
  Object.fromEntries(many(size, (index) => [`${prefix}${index}`, 1]));

/** A schema with patterns that take a large part of a second to compile. Another `seed` gives different patterns. */
export function largePatterns(seed: string): JsonSchema {
  return of({
    patternProperties: Object.fromEntries(many(40, (index) => [`(a{0,30}){0,30}${seed}${index}`, true])),
  });
}

const DOUBLED: readonly SchemaAttack[] = [
  ...['anyOf', 'allOf', 'oneOf'].map((keyword) => ({ name: `${keyword} doubled 22 times`, schema: doubled(keyword) })),
  { name: 'not doubled 22 times', schema: chain((next) => ({ not: next, anyOf: [next] })) },
  { name: 'if doubled 22 times', schema: chain((next) => ({ if: next, else: next })) },
  { name: 'dependentSchemas doubled 22 times', schema: chain((next) => ({ dependentSchemas: { a: next, b: next } })) },
  { name: 'items doubled 22 times', schema: chain((next) => ({ items: next, contains: next })) },
  {
    name: 'properties doubled 22 times',
    schema: chain((next) => ({ anyOf: [{ properties: { c: next } }, { properties: { c: next } }] })),
  },
  {
    name: 'unevaluatedProperties doubled 22 times',
    schema: chain((next) => ({ anyOf: [next, next], unevaluatedProperties: false })),
  },
  {
    name: 'anchors doubled 22 times',
    schema: {
      properties: { v: { $ref: '#l0' } },
      $defs: Object.fromEntries(
        many(LEVELS + 1, (level) => [
          `d${level}`,
          {
            $anchor: `l${level}`,
            ...(level < LEVELS && { anyOf: [{ $ref: `#l${level + 1}` }, { $ref: `#l${level + 1}` }] }),
          },
        ]),
      ),
    },
  },
].map((attack) => ({ ...attack, value: 1, outcome: 'schema refused' }));

const RECURSIVE = { properties: { c: { $ref: '#/$defs/n' } } };

/** Inexpensive schemas: the value decides the cost. */
const DECIDED_BY_VALUE: readonly SchemaAttack[] = [
  {
    name: 'a recursive choice that doubles with each level of the value',
    schema: of({ $ref: '#/$defs/n' }, { $defs: { n: { type: 'object', anyOf: [RECURSIVE, RECURSIVE] } } }),
    value: nest(60, 1),
    outcome: 'stopped',
  },
  {
    name: 'a $dynamicRef that doubles with each level of the value',
    schema: of(
      { $dynamicRef: '#n' },
      {
        $defs: {
          n: {
            $dynamicAnchor: 'n',
            type: 'object',
            allOf: many(2, () => ({ properties: { c: { $dynamicRef: '#n' } } })),
          },
        },
      },
    ),
    value: nest(60, {}),
    outcome: 'stopped',
  },
  {
    name: 'unevaluatedItems around a recursive choice',
    schema: of(
      { $ref: '#/$defs/n' },
      {
        $defs: {
          n: { anyOf: many(3, () => ({ items: { $ref: '#/$defs/n' } })), not: { const: 1 }, unevaluatedItems: false },
        },
      },
    ),
    value: many(60, (index) => index).reduce<Json>((inner) => [inner], 1),
    outcome: 'stopped',
  },
  {
    name: 'a schema that refers to itself without end',
    schema: of({ anyOf: [{ type: 'string' }, { $ref: '#/properties/v' }] }),
    value: 1,
    outcome: 'stopped',
  },
  {
    name: 'a thousand patterns for thousands of names',
    schema: of({ patternProperties: Object.fromEntries(many(1_000, (index) => [`x${index}$`, true])) }),
    value: bag(20_000),
    outcome: 'stopped',
  },
  {
    name: 'a pattern with many states and a long text',
    schema: of({ pattern: '^(a|b)*a(a|b){200}$' }),
    value: many(900_000, (index) => ((index * 7919) % 13 < 6 ? 'a' : 'b')).join(''),
    outcome: 'stopped',
  },
  {
    name: 'thousands of long texts in a slow format',
    schema: of({ items: { format: 'url' } }),
    value: many(200, () => `http://${':'.repeat(4_000)}`),
    outcome: 'mismatch',
  },
  {
    name: 'thousands of lengths and a long text',
    schema: of({ allOf: many(2_000, (index) => ({ maxLength: 220_000 + index })) }),
    value: '👍'.repeat(220_000),
    outcome: 'stopped',
  },
  {
    name: 'hundreds of large constants and a large value',
    schema: of({ anyOf: many(1_000, (index) => ({ const: [index, {}] })) }),
    value: many(50_000, (index) => ({ index })),
    outcome: 'stopped',
  },
  {
    name: 'thousands of branches for each of thousands of items',
    schema: of({ items: { anyOf: [...many(2_000, () => ({ type: 'string' })), { type: 'integer' }] } }),
    value: many(20_000, () => 1),
    outcome: 'stopped',
  },
  {
    name: 'a large default for each of thousands of items',
    schema: of({ items: { properties: { d: { default: 'x'.repeat(40_000) } } } }),
    value: many(20_000, () => ({})),
    outcome: 'stopped',
  },
  {
    name: 'branches that each evaluate thousands of properties',
    schema: of({
      anyOf: many(500, (index) => ({ additionalProperties: { type: 'integer' }, minProperties: index })),
      unevaluatedProperties: false,
    }),
    value: bag(20_000),
    outcome: 'stopped',
  },
  {
    name: 'contains in a choice with hundreds of branches',
    schema: of({ anyOf: many(500, (index) => ({ contains: { const: index }, minContains: 2, maxContains: 3 })) }),
    value: many(20_000, () => -1),
    outcome: 'stopped',
  },
  {
    name: 'extreme numbers and multipleOf',
    schema: of({ items: { multipleOf: 5e-324 } }),
    value: many(20_000, () => 1.7e308),
    outcome: 'stopped',
  },
];

/** Large schemas and values with linear cost: they are validated normally. */
const LARGE: readonly SchemaAttack[] = [
  {
    name: 'uniqueItems and 20,000 objects',
    schema: of({ uniqueItems: true }),
    value: many(20_000, (index) => ({ a: index, b: { c: 'x' } })),
    outcome: 'fits',
  },
  {
    name: 'uniqueItems and 20,000 objects of which the last two are equal',
    schema: of({ uniqueItems: true }),
    value: [...many(20_000, (index) => ({ a: index, b: 1 })), { b: 1, a: 19_999 }],
    outcome: 'mismatch',
  },
  {
    name: 'an enum of objects and thousands of items',
    schema: of({ items: { enum: many(1_500, (index) => ({ name: index })) } }),
    value: many(20_000, (index) => ({ name: index % 1_500 })),
    outcome: 'fits',
  },
  {
    name: 'a hundred thousand wrong items behind a reference',
    schema: of({ items: { $ref: '#/$defs/s' } }, { $defs: { s: { type: 'string' } } }),
    value: many(100_000, () => 1),
    outcome: 'mismatch',
  },
  {
    name: 'a hundred thousand wrong items in a choice',
    schema: of({ anyOf: [{ items: { type: 'string' } }, { items: { type: 'boolean' } }] }),
    value: many(100_000, () => 1),
    outcome: 'mismatch',
  },
  {
    name: 'thousands of unknown names beside thousands of declared ones',
    schema: { properties: Object.fromEntries(many(2_000, (index) => [`parameter${index}`, {}])) },
    value: 1,
    outcome: 'mismatch',
  },
  {
    name: 'choices in choices that all fail',
    schema: chain((next) => ({ anyOf: [next, next] }), 8),
    value: 1,
    outcome: 'mismatch',
  },
  {
    name: 'a text that breaks a hundred limits',
    schema: of({ allOf: many(200, (index) => ({ maxLength: index })) }),
    value: '👍'.repeat(200_000),
    outcome: 'mismatch',
  },
  {
    name: 'a list that breaks a hundred limits',
    schema: of({ allOf: many(200, (index) => ({ maxItems: index })) }),
    value: many(300_000, () => 1),
    outcome: 'mismatch',
  },
  {
    name: 'thousands of definitions',
    schema: of({ $ref: '#/$defs/d1' }, { $defs: Object.fromEntries(many(2_500, (index) => [`d${index}`, {}])) }),
    value: 1,
    outcome: 'fits',
  },
  { name: 'dozens of large patterns', schema: largePatterns('x'), value: { x: 1 }, outcome: 'schema refused' },
  {
    name: 'a description of a megabyte',
    schema: of({ description: 'x'.repeat(900_000) }),
    value: 1,
    outcome: 'schema refused',
  },
];

/** All known attacks on a JSON Schema validator. */
export const SCHEMA_ATTACKS: readonly SchemaAttack[] = [...DOUBLED, ...DECIDED_BY_VALUE, ...LARGE];

/** A text that calls a tool with the value of an attack as JSON. */
export function writeAttack(toolId: string, value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `<ACTION>\n<${toolId}>\n<v>${text}</v>\n</${toolId}>\n</ACTION>`;
}
