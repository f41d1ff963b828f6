import type { JsonObject } from '@errand/contracts';
import { readParameters } from './read-parameters.js';

const problemsOf = (written: JsonObject) => readParameters(written).problems;

test('nothing at all is an object without parameters', () => {
  expect(readParameters(undefined)).toEqual({ schema: { type: 'object' }, problems: [] });
});

test('`defaultValue` becomes `default` where a schema stands, and stays the name of a parameter', () => {
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
    'a reference to nothing',
    { properties: { a: { $ref: '#/$defs/x' } } },
    '/properties/a/$ref',
    /There is no '#\/\$defs\/x'/,
  ],
  [
    'a reference to nothing beside an address',
    { $id: 'http://localhost/a', properties: { a: { $ref: 'b' } } },
    '/properties/a/$ref',
    /There is no 'b' in this schema/,
  ],
  [
    'an unknown dialect',
    { properties: { a: { $schema: 'http://localhost/mine' } } },
    '/properties/a/$schema',
    /dialect/,
  ],
  ['a schema that would take long', { description: 'x'.repeat(50_000) }, '', /at most 50000 are compiled/],
  ['an endless reference', { $ref: '#' }, '', /refers to itself without end/],
  [
    'a bad pattern in a parameter called default',
    { properties: { default: { pattern: '(' } } },
    '/properties/default/pattern',
    /Invalid/,
  ],
  ['a pattern with look-around', { properties: { a: { pattern: '^(?=a)' } } }, '/properties/a/pattern', /look-around/],
  [
    'a pattern that is none',
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
test.each(refused)('%s is refused with its place', (_what, written, path, message) => {
  expect(problemsOf(written)[0]).toMatchObject({ path, message: expect.stringMatching(message) });
});

test('a reference inside the data is never followed: there is no $data', () => {
  const { schema, problems } = readParameters({ properties: { a: { minimum: { $data: '1/b' } } } });
  expect(schema.properties).toBeDefined();
  expect(problems[0]).toMatchObject({ path: '/properties/a/minimum' });
});

test('an address in one schema means nothing to another', () => {
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

test('a recursive schema is fine', () => {
  expect(
    problemsOf({
      properties: { tree: { $ref: '#/$defs/tree' } },
      $defs: { tree: { properties: { sub: { $ref: '#/$defs/tree' } } } },
    }),
  ).toEqual([]);
});

test('thousands of schemas can be compiled one after the other', () => {
  for (let index = 0; index < 2100; index++)
    expect(problemsOf({ properties: { [`p${index}`]: { type: 'string' } } })).toEqual([]);
});

describe('what JSON Schema would pass over in silence is told where it was meant to decide:', () => {
  it.each<[what: string, written: JsonObject, path: string, suggestion: string | undefined]>([
    ['a misspelt keyword', { properites: { a: {} } }, '/properites', 'properties'],
    ['one inside', { properties: { a: { items: { maxLenght: 3 } } } }, '/properties/a/items/maxLenght', 'maxLength'],
    ['one in another spelling', { properties: { a: { min_length: 3 } } }, '/properties/a/min_length', 'minLength'],
    ['one in a choice', { anyOf: [{ Required: ['a'] }] }, '/anyOf/0/Required', 'required'],
    ['a misspelt format', { properties: { a: { format: 'datetime' } } }, '/properties/a/format', 'date-time'],
    ['a required name that is none', { properties: { name: {} }, required: ['nmae'] }, '/required/0', 'name'],
    ['a required name of nothing', { required: ['top'] }, '/required/0', undefined],
  ])('%s', (_what, written, path, suggestion) => {
    expect(problemsOf(written)).toEqual([
      { path, message: expect.any(String), ...(suggestion !== undefined && { suggestion }) },
    ]);
  });

  it.each<[what: string, written: JsonObject]>([
    ['remarks of other programs', { properties: { a: { 'x-order': 1, example: 5, widget: 'area', note: 'n' } } }],
    ['names of parameters', { properties: { maxLenght: {}, requird: {} }, required: ['requird'] }],
    ['values', { properties: { a: { default: { maxLenght: 1 }, enum: [{ maxLenght: 1 }] } } }],
    [
      'formats of other programs',
      { properties: { a: { format: 'uuid4' }, b: { format: 'iri' }, c: { format: 'color' } } },
    ],
    ['required names that may be declared elsewhere', { anyOf: [{ properties: { a: {} } }], required: ['a'] }],
  ])('but not %s', (_what, written) => {
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
