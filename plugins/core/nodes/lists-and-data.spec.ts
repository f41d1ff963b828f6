import * as fc from 'fast-check';
import type { Json, JsonObject } from '@errand/contracts';
import { randomRuns } from '../../../test/support/random-runs.js';
import { runCoreNode, SHORT_COMPUTATIONS, textFromNode } from '../test/run-core-node.js';

/** The nodes that compute on values only: the same inputs always have the same outputs. */
describe('The nodes for text, lists and data', () => {
  it.each<[string, JsonObject, Json]>([
    ['core:replace', { text: 'a.b.c', search: '.', replacement: '$&' }, 'a$&b$&c'],
    ['core:replace', { text: 'aaa', search: 'aa' }, 'a'],
    ['core:replace', { text: '', search: 'x', replacement: 'y' }, ''],
    ['core:regex', { text: 'ab12', pattern: '\\d+', op: 'test' }, true],
    ['core:regex', { text: 'ab', pattern: '\\d+', op: 'test' }, false],
    ['core:regex', { text: 'x', pattern: 'y' }, null],
    [
      'core:regex',
      { text: 'é 2026-01', pattern: '(?P<year>\\d{4})-(\\d\\d)(z)?' },
      { match: '2026-01', index: 2, groups: ['2026', '01', null], named: { year: '2026' } },
    ],
    ['core:regex', { text: '2026', pattern: '(?<y>\\d+)', op: 'replace', replacement: '<$<y>>' }, '<2026>'],
    ['core:regex', { text: 'a-b', pattern: '(\\w)-(\\w)', op: 'replace', replacement: '$2$$$1' }, 'b$a'],
    ['core:regex', { text: 'a1b22c', pattern: '\\d+', op: 'split' }, ['a', 'b', 'c']],
    ['core:regex', { text: ',a,', pattern: ',', op: 'split' }, ['', 'a', '']],
    ['core:regex', { text: 'A\nb', pattern: '^B$', op: 'test', flags: 'im' }, true],
    ['core:regex', { text: 'a\nb', pattern: 'a.b', op: 'test', flags: 's' }, true],
    ['core:regex', { text: 'Ωß😀', pattern: '\\p{Greek}', op: 'test' }, true],
    ['core:regex', { text: '', pattern: 'x*', op: 'matchAll' }, [{ match: '', index: 0, groups: [], named: {} }]],
    ['core:regex', { text: 'none', pattern: 'x', op: 'matchAll' }, []],
    ['core:csv', { text: '' }, []],
    ['core:csv', { text: 'a,b' }, []],
    ['core:csv', { text: 'a;b\n1;"x;""y""\n2"', delimiter: ';' }, [{ a: '1', b: 'x;"y"\n2' }]],
    ['core:csv', { text: '1,2\r\n3,4\r\n', header: false }, [['1', '2'], ['3', '4']]], // prettier-ignore
    ['core:csv', { text: '__proto__,a\n1,2' }, [Object.fromEntries([['__proto__', '1'], ['a', '2']])]], // prettier-ignore
    [
      'core:csv',
      {
        mode: 'stringify',
        rows: [
          { a: 1, b: null },
          { b: 'x,y', c: [1] },
        ],
      },
      'a,b,c\r\n1,,\r\n,"x,y",[1]',
    ],
    ['core:csv', { mode: 'stringify', rows: [['a', 'ü'], ['"', '\n']] }, 'a,ü\r\n"""","\n"'], // prettier-ignore
    ['core:csv', { mode: 'stringify', rows: [] }, ''],
    ['core:json', { value: '{"a":[1,null]}' }, { a: [1, null] }],
    ['core:json', { value: '"text"' }, 'text'],
    ['core:json', { value: { a: 1 }, mode: 'stringify' }, '{"a":1}'],
    ['core:json', { value: [1], mode: 'stringify', indent: 2 }, '[\n  1\n]'],
    ['core:json-path', { value: { a: { b: [1, 2] } }, path: '$.a.b' }, [1, 2]],
    ['core:json-path', { value: { a: [1, 2] }, path: '$.a[-1]' }, 2],
    ['core:json-path', { value: { a: [{ p: 5 }, { p: 50 }] }, path: '$.a[?@.p < 10]' }, [{ p: 5 }]],
    ['core:json-path', { value: { a: { n: 1 }, b: [{ n: 2 }] }, path: '$..n' }, [1, 2]],
    ['core:json-path', { value: { a: 1 }, path: '$.b[*]' }, []],
    ['core:json-path', { value: [1, 2, 3, 4], path: '$[1:3]' }, [2, 3]],
    ['core:json-path', { value: { 'a.b': 1 }, path: "$['a.b']" }, 1],
    [
      'core:merge',
      { objects: [{ a: 1, b: { c: 1, d: [1] } }, { b: { d: [2], e: 2 } }] },
      { a: 1, b: { c: 1, d: [2], e: 2 } },
    ],
    ['core:merge', { objects: [{ b: { c: 1 } }, { b: { e: 2 } }], mode: 'shallow' }, { b: { e: 2 } }],
    ['core:merge', { objects: [] }, {}],
    ['core:merge', { objects: [{ a: { x: 1 } }, { a: null }] }, { a: null }],
    ['core:pick', { object: { a: 1, b: 2 }, keys: ['b', 'c', 'toString'] }, { b: 2 }],
    ['core:omit', { object: { a: 1, b: 2 }, keys: ['b', 'c'] }, { a: 1 }],
    ['core:coalesce', { values: [null, false, 1] }, false],
    ['core:coalesce', { values: [null] }, null],
    ['core:length', { value: [] }, 0],
    ['core:length', { value: 'aé😀' }, 3],
    ['core:length', { value: { a: 1 } }, 1],
    ['core:slice', { value: [1, 2, 3], start: 1 }, [2, 3]],
    ['core:slice', { value: [1, 2, 3], start: -2, end: -1 }, [2]],
    ['core:slice', { value: '😀é', end: 1 }, '😀'],
    ['core:slice', { value: [], start: 5 }, []],
    ['core:flatten', { items: [[1, [2]], 3, []] }, [1, [2], 3]],
    ['core:flatten', { items: [[1, [2, [3]]]], depth: 3 }, [1, 2, 3]],
    ['core:zip', { lists: [[1, 2], ['a', 'b']] }, [[1, 'a'], [2, 'b']]], // prettier-ignore
    ['core:zip', { lists: [] }, []],
    ['core:chunk', { items: [1, 2, 3], size: 2 }, [[1, 2], [3]]],
    ['core:chunk', { items: [], size: 2 }, []],
    ['core:range', { end: 3 }, [0, 1, 2]],
    ['core:range', { start: 3, end: 0, step: -1.5 }, [3, 1.5]],
    ['core:range', { start: 3, end: 0 }, []],
    ['core:round', { value: 1.005, decimals: 2 }, 1.01],
    ['core:round', { value: -2.5 }, -3],
    ['core:round', { value: -0.2 }, 0],
    ['core:round', { value: 12345, decimals: -2 }, 12300],
    ['core:round', { value: 1.21, decimals: 1, mode: 'up' }, 1.3],
    ['core:round', { value: 1.29, decimals: 1, mode: 'down' }, 1.2],
    ['core:round', { value: 1e21 }, 1e21],
    ['core:round', { value: 1.5e-7, decimals: 7 }, 2e-7],
    [
      'core:url-parse',
      { url: 'HTTPS://Example.com:8443/a%20b?x=1&y=2&x=%C3%A9#top' },
      {
        protocol: 'https',
        host: 'example.com',
        port: 8443,
        path: '/a b',
        query: { x: ['1', 'é'], y: '2' },
        fragment: 'top',
      },
    ],
    ['core:url-build', { base: 'https://x.example/v1/' }, 'https://x.example/v1/'],
    ['core:url-build', { base: 'https://x.example', path: ['ä b', 'c/d', 7] }, 'https://x.example/%C3%A4%20b/c%2Fd/7'],
    [
      'core:url-build',
      { base: 'https://x.example/?a=1&b=2', query: { a: ['x', 'y'], b: null, c: 'ö&' } },
      'https://x.example/?a=x&a=y&c=%C3%B6%26',
    ],
  ])('The result of %s for %j is %j', async (type, args, expected) => {
    await expect(runCoreNode(type, args)).resolves.toEqual(expected);
  });

  it.each<[string, JsonObject, string, string]>([
    ['core:replace', { text: 'a', search: '' }, 'ParameterValidationError', "'search' must not be empty"],
    [
      'core:replace',
      { text: 'a'.repeat(5000), search: 'a', replacement: 'b'.repeat(5000) },
      'ResourceLimitError',
      '10000000 are allowed',
    ],
    ['core:join', { parts: Array(2000).fill('x'), separator: 'y'.repeat(6000) }, 'ResourceLimitError', 'shorter parts'],
    [
      'core:template',
      { template: '{{a}}'.repeat(2000), data: { a: 'x'.repeat(6000) } },
      'ResourceLimitError',
      'characters',
    ],
    [
      'core:regex',
      { text: 'a'.repeat(5000), pattern: 'a', op: 'replace', replacement: 'b'.repeat(5000) },
      'ResourceLimitError',
      'characters',
    ],
    [
      'core:regex',
      { text: '', pattern: '(' },
      'ParameterValidationError',
      "'pattern' is not a regular expression: missing closing )",
    ],
    [
      'core:regex',
      { text: '', pattern: '(?=a)' },
      'ParameterValidationError',
      'look-ahead and look-behind are not supported',
    ],
    ['core:regex', { text: '', pattern: '(a)\\1' }, 'ParameterValidationError', 'is not a regular expression'],
    [
      'core:regex',
      { text: '', pattern: 'a', flags: 'g' },
      'ParameterValidationError',
      "'flags' must be one of i, m, s, got 'g'",
    ],
    ['core:regex', { text: '', pattern: 'a'.repeat(1001) }, 'ParameterValidationError', 'longer than 1000'],
    [
      'core:regex',
      { text: '', pattern: '((a{1000}){1000})' },
      'ParameterValidationError',
      'is not a regular expression',
    ],
    ['core:csv', {}, 'ParameterValidationError', "'text' is missing; mode parse needs it"],
    ['core:csv', { mode: 'stringify', text: 'a' }, 'ParameterValidationError', "'rows' is missing"],
    ['core:csv', { text: 'a,b\n1,2,3' }, 'NodeError', 'row 2 has 3 values, but there are 2 columns'],
    ['core:csv', { text: 'a,b\n1' }, 'NodeError', 'row 2 has 1 values'],
    ['core:csv', { text: 'a,b\n1,"2' }, 'NodeError', 'the text is not CSV'],
    ['core:csv', { text: 'a,a\n1,2' }, 'NodeError', "the column 'a' occurs twice"],
    ['core:csv', { text: '', delimiter: '"' }, 'ParameterValidationError', "'delimiter' must be one character"],
    ['core:csv', { text: '', delimiter: '' }, 'ParameterValidationError', "'delimiter' must be one character"],
    ['core:csv', { mode: 'stringify', rows: [{ a: 1 }, [1]] }, 'ParameterValidationError', 'row 1 must be an object'],
    ['core:csv', { mode: 'stringify', rows: [1] }, 'ParameterValidationError', 'row 0 must be a list'],
    [
      'core:csv',
      { mode: 'stringify', rows: Array.from({ length: 1001 }, (_, n) => ({ [`c${n}`]: 1 })) },
      'ResourceLimitError',
      '1001 columns in 1001 rows; 1000000 cells are allowed',
    ],
    ['core:json', { value: '{a}' }, 'NodeError', 'the text is not JSON'],
    ['core:json', { value: 1 }, 'ParameterValidationError', "'value' must be a text to parse"],
    ['core:json', { value: '['.repeat(65) + ']'.repeat(65) }, 'NodeError', 'deeper than 64'],
    ['core:json-path', { value: { name: 1 }, path: '$.nam' }, 'NodeError', "$ has no 'nam', did you mean 'name'?"],
    ['core:json-path', { value: { a: [1] }, path: '$.a[-2]' }, 'NodeError', '$.a has 1 items, so there is no item -2'],
    ['core:json-path', { value: {}, path: '$.__proto__' }, 'NodeError', "$ has no '__proto__'"],
    ['core:json-path', { value: {}, path: '$[?@.a ==]' }, 'ParameterValidationError', 'is not a JSONPath'],
    ['core:json-path', { value: {}, path: `$${'.a'.repeat(600)}` }, 'ParameterValidationError', 'longer than 1000'],
    [
      'core:json-path',
      { value: [`${'a'.repeat(40)}!`], path: "$[?match(@, '(a+)+')]" },
      'TimeoutError',
      "'path' took longer",
    ],
    ['core:merge', { objects: [{}, 1] }, 'ParameterValidationError', 'at 1 must be an object, got the number 1'],
    [
      'core:pick',
      { object: {}, keys: ['a', 1] },
      'ParameterValidationError',
      "'keys' must be a list of names, got 1 at 1",
    ],
    ['core:length', { value: 5 }, 'ParameterValidationError', "'value' must be a list or a text"],
    ['core:slice', { value: null }, 'ParameterValidationError', "'value' must be a list or a text"],
    ['core:zip', { lists: [[1], [1, 2]] }, 'ParameterValidationError', 'the first has 1 items, number 2 has 2'],
    ['core:chunk', { items: [1], size: 0 }, 'ParameterValidationError', "'size' must be"],
    ['core:range', { end: 1e9 }, 'ParameterValidationError', '100000 are allowed'],
    ['core:range', { end: 1, step: 0 }, 'ParameterValidationError', "'step' must not be 0"],
    ['core:round', { value: 1, decimals: 16 }, 'ParameterValidationError', 'from -15 to 15'],
    ['core:url-parse', { url: '/path' }, 'ParameterValidationError', 'is not an absolute URL'],
    [
      'core:url-build',
      { base: 'https://x.example', path: ['..'] },
      'ParameterValidationError',
      "'..' cannot be a path segment",
    ],
  ])('The node %s refuses %j: %s %s', async (type, args, errorType, message) => {
    const limits = errorType === 'TimeoutError' ? SHORT_COMPUTATIONS : {};
    await expect(runCoreNode(type, args, limits)).rejects.toMatchObject({
      type: errorType,
      message: expect.stringContaining(message),
    });
  });

  it('core:merge keeps a property with the name __proto__', async () => {
    const evil = JSON.parse('{"__proto__":{"polluted":true}}') as JsonObject;
    const merged = (await runCoreNode('core:merge', { objects: [{ a: 1 }, evil, evil] })) as JsonObject;
    expect(JSON.stringify(merged)).toBe('{"a":1,"__proto__":{"polluted":true}}');
    expect(({} as JsonObject).polluted).toBeUndefined();
  });

  it('The time of core:regex is linear in its text for every pattern', async () => {
    const text = 'a'.repeat(10_000);
    await expect(runCoreNode('core:regex', { text, pattern: '^(a+)+$', op: 'test' })).resolves.toBe(true);
    await expect(runCoreNode('core:regex', { text: `${text}!`, pattern: '^(a|a)*$', op: 'test' })).resolves.toBe(false);
  });

  it.each<[string, JsonObject]>([
    ['core:merge', { objects: Array.from({ length: 30_000 }, (_, n) => ({ [`k${n}`]: { n } })) }],
    ['core:csv', { text: Array.from({ length: 50_000 }, (_, n) => `c${n}`).join(',') }],
    [
      'core:url-build',
      { base: 'http://x', query: Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`k${n}`, n])) },
    ],
    ['core:url-parse', { url: `http://x/?${Array.from({ length: 30_000 }, (_, n) => `k${n}=1`).join('&')}` }],
    ['core:dedupe', { items: Array.from({ length: 50_000 }, (_, n) => ({ n })) }],
    ['core:flatten', { items: Array.from({ length: 50_000 }, (_, n) => [n]) }],
  ])('The time of %s is linear in its inputs', async (type, args) => {
    // A quadratic algorithm would exceed the time limit of the runner.
    await expect(runCoreNode(type, args)).resolves.toBeDefined();
  });

  it('core:uuid returns each id only once', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => textFromNode('core:uuid', {})));
    expect(new Set(made).size).toBe(50);
    expect(
      made.every((uuid) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid)),
    ).toBe(true);
  });
});

const anyText = fc.string({ unit: 'grapheme' });
const anyJson = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;

describe('Properties for all inputs', () => {
  it('CSV that was written is read to the same rows', async () => {
    const table = fc
      .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(',', ';', '\t', '|'))
      .chain(([width, delimiter]) =>
        fc.record({
          delimiter: fc.constant(delimiter),
          rows: fc.array(fc.array(anyText, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }),
        }),
      )
      // A row with one empty value equals an empty line.
      .filter(({ rows }) => rows.every((row) => row.length > 1 || row[0] !== ''));
    await fc.assert(
      fc.asyncProperty(table, async ({ rows, delimiter }) => {
        const text = await runCoreNode('core:csv', { mode: 'stringify', rows, delimiter, header: false });
        expect(await runCoreNode('core:csv', { text, delimiter, header: false })).toEqual(rows);
      }),
      { numRuns: randomRuns(150) },
    );
  });

  it('Text that was encoded as base64 is decoded to the same text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.boolean(), async (text, urlSafe) => {
        const encoded = await runCoreNode('core:base64', { text, urlSafe });
        expect(await runCoreNode('core:base64', { text: encoded, mode: 'decode' })).toBe(text);
      }),
      { numRuns: randomRuns(150) },
    );
  });

  it('JSON that was written is read to the same value', async () => {
    await fc.assert(
      fc.asyncProperty(anyJson, async (value) => {
        const text = await runCoreNode('core:json', { value, mode: 'stringify' });
        expect(JSON.stringify(await runCoreNode('core:json', { value: text }))).toBe(JSON.stringify(value));
      }),
      { numRuns: randomRuns(100) },
    );
  });

  it('core:sort sorts, keeps all items, and keeps the order of equal items', async () => {
    const items = fc.array(fc.record({ key: fc.integer({ min: 0, max: 5 }), place: fc.nat() }));
    await fc.assert(
      fc.asyncProperty(items, async (given) => {
        const numbered = given.map(({ key }, place) => ({ key, place }));
        const sorted = (await runCoreNode('core:sort', { items: numbered, by: 'item.key' })) as typeof numbered;
        expect(sorted).toEqual(numbered.toSorted((a, b) => a.key - b.key || a.place - b.place));
      }),
      { numRuns: randomRuns(100) },
    );
  });

  it('A list that was split by core:chunk is the same after core:flatten', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer()), fc.integer({ min: 1, max: 7 }), async (items, size) => {
        const chunks = await runCoreNode('core:chunk', { items, size });
        expect(await runCoreNode('core:flatten', { items: chunks })).toEqual(items);
      }),
      { numRuns: randomRuns(100) },
    );
  });

  it('A query that was built is parsed to the same query', async () => {
    const query = fc.dictionary(anyText, anyText, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(query, async (given) => {
        const url = await runCoreNode('core:url-build', { base: 'https://x.example/', query: given });
        const parts = (await runCoreNode('core:url-parse', { url })) as { query: JsonObject };
        expect(Object.entries(parts.query)).toEqual(Object.entries(given));
      }),
      { numRuns: randomRuns(100) },
    );
  });
});
