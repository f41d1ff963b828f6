import * as fc from 'fast-check';
import type { Json } from '@errand/contracts';
import { randomRuns } from '../../../test/support/random-runs.js';
import { PATIENT_COMPUTATIONS, runCoreNode } from '../test/run-core-node.js';

const parse = (value: Json) => runCoreNode('core:xml', { op: 'parse', value });
const build = (value: Json) => runCoreNode('core:xml', { op: 'build', value });
const own = (text: string): Json => JSON.parse(text);

describe('core:xml parse', () => {
  it.each<[what: string, xml: string, value: Json]>([
    ['an empty element', '<a/>', { a: '' }],
    ['a text', '<a>b</a>', { a: 'b' }],
    [
      'numbers as texts',
      '<a><b>007</b><c>0x1F</c><d>1e3</d><e>true</e></a>',
      own('{"a":{"b":"007","c":"0x1F","d":"1e3","e":"true"}}'),
    ],
    ['attributes', `<a b="1" c='x "y"'/>`, { a: { '@_b': '1', '@_c': 'x "y"' } }],
    ['text beside attributes', '<a b="1"> c </a>', { a: { '@_b': '1', '#text': ' c ' } }],
    ['repeated elements', '<a><b>1</b><c/><b>2</b></a>', { a: { b: ['1', '2'], c: '' } }],
    ['indented elements', '\n<a>\n  <b>1</b>\n  <b>2</b>\n</a>\n', { a: { b: ['1', '2'] } }],
    ['mixed text', '<p>Hello <b>big</b> world</p>', { p: { b: 'big', '#text': 'Hello  world' } }],
    ['blanks of a text', '<a> b </a>', { a: ' b ' }],
    ['references', '<a b="&quot;&#x41;">&lt;&#233;&#128512;&amp;lt;</a>', { a: { '@_b': '"A', '#text': '<é😀&lt;' } }],
    ['a CDATA section', '<a>1 <![CDATA[< &amp; >]]> 2</a>', { a: '1 < &amp; > 2' }],
    [
      'comments and instructions',
      '<?xml version="1.0" encoding="UTF-8"?><!-- a --><a><?go on?>1<!-- 2 -->3</a>',
      { a: '13' },
    ],
    ['a byte order mark', '\ufeff<a/>', { a: '' }],
    ['namespaces', '<s:a xmlns:s="urn:s"><s:b/></s:a>', { 's:a': { '@_xmlns:s': 'urn:s', 's:b': '' } }],
    ['line ends', '<a>1\r\n2\r3&#13;</a>', { a: '1\n2\n3\r' }],
    ['other letters', '<größe 单位="m">1</größe>', { größe: { '@_单位': 'm', '#text': '1' } }],
    [
      'names of prototypes',
      '<constructor prototype="1"><__proto__ __proto__="2">x</__proto__><toString/></constructor>',
      own('{"constructor":{"@_prototype":"1","__proto__":{"@___proto__":"2","#text":"x"},"toString":""}}'),
    ],
  ])('It reads %s', async (_what, xml, value) => {
    const read = await parse(xml);
    expect(JSON.stringify(read)).toBe(JSON.stringify(value));
    expect(Object.prototype).not.toHaveProperty('@___proto__');
  });

  it.each<[what: string, xml: Json, words: string]>([
    ['no text', 7, 'must be the XML text'],
    ['an empty text', '', 'Start tag expected'],
    ['a text without an element', 'a', "char 'a' is not expected"],
    ['an open element', '<a><b></b>', "Unclosed tag 'a'. (line 1, column 1)"],
    ['mismatched tags', '<a>\n<b></a></b>', "Expected closing tag 'b'"],
    ['two root elements', '<a/><b/>', 'one root element'],
    ['two equal root elements', '<a/><a/>', 'one root element'],
    ['a CDATA section behind the root', '<a/><![CDATA[b]]>', 'text outside of its root'],
    ['a text behind the root', '<a/>b', 'text outside of its root'],
    ['an attribute twice', '<a b="1" b="2"/>', "'b' is repeated"],
    ['an attribute without a value', '<a b/>', 'boolean attribute'],
    ['a bare ampersand', '<a b="1 & 2"/>', 'write &amp;'],
    ['an unknown entity', '<a>&nbsp;</a>', 'there is no entity &nbsp;'],
    ['a reference to a forbidden character', '<a>&#0;</a>', '&#0; is a character that XML forbids'],
    ['a reference beyond Unicode', '<a>&#x110000;</a>', 'forbids'],
    ['half of a surrogate pair', '<a>&#xD800;</a>', 'forbids'],
    ['a control character', '<a>\u0001</a>', 'U+0001'],
    ['an unknown declaration', '<a><!b></a>', 'not well-formed'],
    ['a document type', '<!DOCTYPE a><a/>', 'has a document type'],
    ['a document type in small letters', '<!doctype a><a/>', 'has a document type'],
    ['entities that grow', '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>', 'has a document type'],
    ['an entity of a file', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', 'has a document type'],
    ['100 levels', `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`, 'nests deeper than 64 levels'],
    ['40 levels of lists', `<r>${'<a/><a>'.repeat(40)}${'</a>'.repeat(40)}</r>`, 'nests deeper than 64 levels'],
    ['100,000 levels', `${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`, 'nests deeper than 64 levels'],
  ])('It refuses %s and says why', async (_what, xml, words) => {
    await expect(parse(xml)).rejects.toMatchObject({
      type: 'ParameterValidationError',
      message: expect.stringContaining(words),
    });
  });

  it('It refuses more elements than the limit, and a text that is too long', async () => {
    for (const value of [`<a>${'<b/>'.repeat(250_001)}</a>`, `<a>${'b'.repeat(10_000_000)}</a>`]) {
      const parsed = runCoreNode('core:xml', { op: 'parse', value }, PATIENT_COMPUTATIONS);
      await expect(parsed).rejects.toMatchObject({ type: 'ResourceLimitError' });
    }
  });
});

describe('core:xml build', () => {
  it.each<[what: string, value: Json, xml: string]>([
    ['an empty element', { a: null }, '<a/>'],
    ['numbers and booleans', { a: { b: 1.5, c: false, d: 'true' } }, '<a><b>1.5</b><c>false</c><d>true</d></a>'],
    ['attributes', { a: { '@_b': true, '@_c': '<"&\'>', '@_d': null } }, '<a b="true" c="&lt;&quot;&amp;&apos;&gt;"/>'],
    ['lists', { a: { b: [1, { '@_c': 2 }, null] } }, '<a><b>1</b><b c="2"/><b/></a>'],
    ['a text that looks like XML', { a: '</a><b>]]>&amp;' }, '<a>&lt;/a&gt;&lt;b&gt;]]&gt;&amp;amp;</a>'],
    [
      'names of prototypes',
      own('{"constructor":{"__proto__":{"@___proto__":1}}}'),
      '<constructor><__proto__ __proto__="1"/></constructor>',
    ],
  ])('It writes %s', async (_what, value, xml) => {
    await expect(build(value)).resolves.toBe(xml);
  });

  it.each<[what: string, value: Json, words: string]>([
    ['a text', '<a/>', 'must be an object with one name'],
    ['two roots', { a: 1, b: 2 }, 'must be an object with one name'],
    ['no root', {}, 'must be an object with one name'],
    ['a list as root', { a: [1, 2] }, 'at a must be one element'],
    ['an attribute as root', { '@_a': 1 }, "root element '@_a'"],
    ['a text as root', { '#text': 1 }, "root element '#text'"],
    ['an instruction', { '?xml': { '@_version': '1.0' } }, "root element '?xml'"],
    ['a name that closes its tag', { a: { 'b/><c': 1 } }, "at a has the name 'b/><c'"],
    ['an attribute name with a quote', { a: { b: { '@_c="1" d': 1 } } }, `at a.b has the name '@_c="1" d'`],
    ['a name with a blank', { 'a b': 1 }, "root element 'a b'"],
    ['a list inside a list', { a: { b: [[1]] } }, 'at a.b is a list inside a list'],
    ['an object as attribute', { a: { '@_b': {} } }, 'at a.@_b must be a text'],
    ['a list as text', { a: { '#text': [1] } }, 'at a.#text must be a text'],
    ['a control character', { a: { b: '\u0000' } }, 'at a.b has the character U+0000'],
  ])('It refuses %s with its place', async (_what, value, words) => {
    await expect(build(value)).rejects.toMatchObject({
      type: 'ParameterValidationError',
      message: expect.stringContaining(words),
    });
  });
});

/** Values as `parse` returns them: texts only, no list of one item, and no text of blanks beside elements. */
const NAMES = fc.constantFrom('a', 'b:c', 'constructor', '__proto__', 'größe', 'x-1.y');
const TEXTS = fc.string({
  unit: fc.constantFrom('a', ' ', '\n', '\r', '\t', '<', '>', '&', '"', "'", ']]>', '&#1;', '😀', '7'),
});
const { element } = fc.letrec<{ element: Json }>((tie) => ({
  element: fc.oneof(
    { depthSize: 'small' },
    TEXTS,
    fc
      .tuple(
        fc.uniqueArray(fc.tuple(NAMES, TEXTS), { selector: ([name]) => name, maxLength: 2 }),
        fc.uniqueArray(
          fc.tuple(NAMES, fc.oneof(tie('element'), fc.array(tie('element'), { minLength: 2, maxLength: 3 }))),
          { selector: ([name]) => name, minLength: 1, maxLength: 3 },
        ),
        fc.option(TEXTS.filter((text) => text.trim() !== '')),
      )
      .map(([attributes, children, text]): Json =>
        Object.fromEntries<Json>([
          ...attributes.map(([name, value]): [string, Json] => [`@_${name}`, value]),
          ...children,
          ...(text === null ? [] : [['#text', text] as const]),
        ]),
      ),
  ),
}));

test('A value that was read survives writing and reading', async () => {
  await fc.assert(
    fc.asyncProperty(NAMES, element, async (name, value) => {
      const whole = Object.fromEntries([[name, value]]);
      const again = await parse(await build(whole));
      expect(JSON.stringify(again)).toBe(JSON.stringify(whole));
    }),
    { numRuns: randomRuns(500) },
  );
});

test('Any text is refused or read as a value that can be written', async () => {
  const pieces = fc.constantFrom(
    '<a>',
    '</a>',
    '<a b="',
    '"',
    '/>',
    '<b>',
    '</b>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<!',
    '<?',
    '?>',
    '&amp;',
    '&',
    'x',
    ' ',
    '=',
    "'",
    '>',
    '<',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 12 }), async (parts) => {
      const read = await parse(parts.join('')).catch((error: Error) => error);
      if (read instanceof Error) expect(read).toMatchObject({ type: 'ParameterValidationError' });
      else expect(await parse(await build(read))).toEqual(read);
    }),
    { numRuns: randomRuns(2_000) },
  );
});
