import type { JsonObject } from '@errand/contracts';
import { readParameters } from './read-parameters.js';

const problemsOf = (written: JsonObject) => readParameters(written).problems;

test('Missing parameters become an object without parameters', () => {
  expect(readParameters(undefined)).toEqual({ schema: { type: 'object' }, problems: [] });
});

test('The keyword `defaultValue` becomes `default`, but a parameter may have this name', () => {
  const written = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    properties: { defaultValue: { type: 'string', defaultValue: 'x' }, l: { items: { defaultValue: 1 } } },
  };
  expect(readParameters(written)).toEqual({
    schema: {
      type: 'object',
      properties: { defaultValue: { type: 'string', default: 'x' }, l: { items: { default: 1 } } },
    },
    problems: [],
  });
});

test('The name of the dialect stays if it is the one in which schemas are read', () => {
  const written = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' };
  expect(readParameters(written)).toEqual({ schema: written, problems: [] });
});

const refused: [what: string, written: JsonObject, path: string, message: RegExp][] = [
  ['another type', { type: 'array' }, '/type', /must be 'object'/],
  ['a misspelt type', { properties: { a: { type: 'strng' } } }, '/properties/a/type', /must be one of array, boolean/],
  [
    'a wrong keyword',
    { properties: { a: { required: true } } },
    '/properties/a/required',
    /must be a list, got a boolean/,
  ],
  [
    'a remote reference',
    { properties: { a: { $ref: 'http://example.org/x' } } },
    '/properties/a/$ref',
    /must point into this schema/,
  ],
  [
    'a reference to a file',
    { $defs: { a: { $ref: 'file:///etc/passwd' } } },
    '/$defs/a/$ref',
    /must point into this schema/,
  ],
  [
    'an unknown reference',
    { properties: { a: { $ref: '#/$defs/x' } } },
    '/properties/a/$ref',
    /The schema has no '#\/\$defs\/x'/,
  ],
  [
    'an unknown reference beside an `$id`',
    { $id: 'http://localhost/a', properties: { a: { $ref: 'b' } } },
    '/properties/a/$ref',
    /The schema has no 'b'/,
  ],
  [
    'an unknown dialect',
    { properties: { a: { $schema: 'http://localhost/mine' } } },
    '/properties/a/$schema',
    /dialect/,
  ],
  ['a schema that is too long', { description: 'x'.repeat(50_000) }, '', /at most 50000 are compiled/],
  ['an endless reference', { $ref: '#' }, '', /refers to itself without end/],
  [
    'a bad pattern in a parameter called default',
    { properties: { default: { pattern: '(' } } },
    '/properties/default/pattern',
    /Invalid/,
  ],
  ['a pattern with look-around', { properties: { a: { pattern: '^(?=a)' } } }, '/properties/a/pattern', /look-around/],
  [
    'an invalid pattern',
    { properties: { a: { pattern: '(' } } },
    '/properties/a/pattern',
    /Invalid regular expression/,
  ],
  [
    'a name pattern with a back-reference',
    { patternProperties: { '(a)\\1': {} } },
    '/patternProperties/(a)\\1',
    /back-reference/,
  ],
  [
    'a default that does not fit',
    { properties: { a: { type: 'integer', default: 'x' } } },
    '/properties/a',
    /'a' must be an integer/,
  ],
];
test('An endless reference is refused in the same way however often its code has run', () => {
  for (let run = 0; run < 300; run++)
    expect(problemsOf({ $ref: '#' })[0]).toMatchObject({ path: '', message: expect.stringMatching(/without end/) });
});

test.each(refused)('A schema with %s is refused with its place', (_what, written, path, message) => {
  expect(problemsOf(written)[0]).toMatchObject({ path, message: expect.stringMatching(message) });
});

test('A `$data` reference is never followed', () => {
  const { schema, problems } = readParameters({ properties: { a: { minimum: { $data: '1/b' } } } });
  expect(schema.properties).toBeDefined();
  expect(problems[0]).toMatchObject({ path: '/properties/a/minimum' });
});

test('The `$id` of one schema has no effect on another schema', () => {
  const named = {
    $id: 'http://localhost/a',
    properties: { a: { $ref: '#x' } },
    $defs: { x: { $anchor: 'x', type: 'string' } },
  };
  expect(problemsOf(named)).toEqual([]);
  expect(problemsOf(named)).toEqual([]);
  const other = { $id: 'http://localhost/b', properties: { a: { $ref: 'http://localhost/a' } } };
  expect(problemsOf(other)[0]).toMatchObject({ path: '/properties/a/$ref' });
  const taken = { properties: { a: { $id: 'https://json-schema.org/draft/2020-12/schema', type: 'string' } } };
  expect(problemsOf(taken)).toEqual([]);
  expect(problemsOf({ properties: { a: { type: 'text' } } })[0]).toMatchObject({ path: '/properties/a/type' });
});

test('A recursive schema is accepted', () => {
  expect(
    problemsOf({
      properties: { tree: { $ref: '#/$defs/tree' } },
      $defs: { tree: { properties: { sub: { $ref: '#/$defs/tree' } } } },
    }),
  ).toEqual([]);
});

test('More than 2,000 schemas can be compiled one after the other', () => {
  for (let index = 0; index < 2100; index++)
    expect(problemsOf({ properties: { [`p${index}`]: { type: 'string' } } })).toEqual([]);
});

describe('Mistakes that JSON Schema ignores', () => {
  it.each<[what: string, written: JsonObject, path: string, suggestion: string | undefined]>([
    ['a misspelt keyword', { properites: { a: {} } }, '/properites', 'properties'],
    ['a nested typo', { properties: { a: { items: { maxLenght: 3 } } } }, '/properties/a/items/maxLenght', 'maxLength'],
    ['a keyword in snake case', { properties: { a: { min_length: 3 } } }, '/properties/a/min_length', 'minLength'],
    ['a keyword in capitals', { anyOf: [{ Required: ['a'] }] }, '/anyOf/0/Required', 'required'],
    ['a misspelt format', { properties: { a: { format: 'datetime' } } }, '/properties/a/format', 'date-time'],
    ['a misspelt required name', { properties: { name: {} }, required: ['nmae'] }, '/required/0', 'name'],
    ['an unknown required name', { required: ['top'] }, '/required/0', undefined],
  ])('A schema with %s is reported', (_what, written, path, suggestion) => {
    expect(problemsOf(written)).toEqual([
      { path, message: expect.any(String), ...(suggestion !== undefined && { suggestion }) },
    ]);
  });

  it.each<[what: string, written: JsonObject]>([
    ['annotations of other programs', { properties: { a: { 'x-order': 1, example: 5, widget: 'area', note: 'n' } } }],
    ['names of parameters', { properties: { maxLenght: {}, requird: {} }, required: ['requird'] }],
    ['values', { properties: { a: { default: { maxLenght: 1 }, enum: [{ maxLenght: 1 }] } } }],
    [
      'formats of other programs',
      { properties: { a: { format: 'uuid4' }, b: { format: 'iri' }, c: { format: 'color' } } },
    ],
    ['required names that may be declared elsewhere', { anyOf: [{ properties: { a: {} } }], required: ['a'] }],
  ])('The schema is accepted with %s', (_what, written) => {
    expect(problemsOf(written)).toEqual([]);
  });
});

test.each(['constructor', '__proto__', 'prototype', 'toString'])('A parameter may be called %s', (name) => {
  const { schema, problems } = readParameters(
    JSON.parse(`{"properties":{"${name}":{"type":"integer","default":3}},"required":["${name}"]}`),
  );
  expect(problems).toEqual([]);
  expect(Object.keys(schema.properties!)).toEqual([name]);
});

test('A default of __proto__ that does not fit is refused with its place', () => {
  const { problems } = readParameters(JSON.parse('{"properties":{"__proto__":{"type":"integer","default":"x"}}}'));
  expect(problems).toEqual([
    {
      path: '/properties/__proto__',
      message: `The default does not fit: '__proto__' must be an integer, got a string: "x"`,
    },
  ]);
});
