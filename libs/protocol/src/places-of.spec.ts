import type { TextRange, ValuePlace } from '@errand/contracts';
import { toolLookupOf } from '@errand/registry';
import { parse } from './index.js';

const tools = toolLookupOf([
  {
    toolId: 'kb:search',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
        filter: { type: 'object', properties: { lang: { type: 'string' } } },
      },
      required: ['query'],
    },
  },
]);
const placesIn = (text: string) => parse(text, { tools, places: true }).places ?? [];

/** The places of the values of the first call. */
const valuesIn = (text: string): Record<string, ValuePlace> => placesIn(text)[0]?.places ?? {};

/** The text of a range. */
function textOf(text: string, { line, column, endLine, endColumn }: TextRange): string {
  const lines = text.split('\n');
  const offset = (at: number, by: number) => lines.slice(0, at - 1).join('\n').length + (at > 1 ? 1 : 0) + by - 1;
  return text.slice(offset(line, column), offset(endLine, endColumn));
}

/** The written text of each value, by pointer. It proves that the range and `raw` are the same. */
function writtenIn(text: string): Record<string, string>[] {
  return placesIn(text).map(({ places }) =>
    Object.fromEntries(
      Object.entries(places).map(([path, place]) => {
        expect(textOf(text, place)).toBe(place.raw);
        return [path, place.raw];
      }),
    ),
  );
}

const ACTION = `I look.
<ACTION>
  <kb:search>
    <query>the tides
of the sea</query>
    <limit>3</limit>
    <tags><item>a</item><item>b</item></tags>
    <filter><lang>de</lang></filter>
  </kb:search>
  <kb:search><query>x</query></kb:search>
</ACTION>`;

it('Each value of an ACTION block has the range of its written text', () => {
  expect(writtenIn(ACTION)).toEqual([
    {
      '/query': 'the tides\nof the sea',
      '/limit': '3',
      '/tags': '<item>a</item><item>b</item>',
      '/tags/0': 'a',
      '/tags/1': 'b',
      '/filter': '<lang>de</lang>',
      '/filter/lang': 'de',
    },
    { '/query': 'x' },
  ]);
});

it('The place of a call is its element', () => {
  const [first, second] = placesIn(ACTION);
  expect(textOf(ACTION, first!.place)).toMatch(/^<kb:search>\n[^]*<\/kb:search>$/);
  expect(textOf(ACTION, second!.place)).toBe('<kb:search><query>x</query></kb:search>');
});

it('The inputs of form B have their places, and the call ends behind them', () => {
  const text = '<ACTION><tool_id>kb:search</tool_id><inputs><input name="query">x</input></inputs></ACTION>';
  expect(writtenIn(text)).toEqual([{ '/query': 'x' }]);
  expect(textOf(text, placesIn(text)[0]!.place)).toBe(
    '<tool_id>kb:search</tool_id><inputs><input name="query">x</input></inputs>',
  );
});

it('The fields of TAM have their places, and the call ends behind the last one', () => {
  const text =
    'So:\n<|[REQUEST_TOOL]|>\ncommand:「始」kb:search「末」,\nquery:「始」two\nlines「末」,\nlimit:「始」3「末」\n<|[END_TOOL]|>';
  expect(writtenIn(text)).toEqual([{ '/query': 'two\nlines', '/limit': '3' }]);
  expect(textOf(text, placesIn(text)[0]!.place)).toMatch(/^command:[^]*「始」3$/);
});

it('A value with a repair says which, and the values around it do not', () => {
  const text = '<ACTION><kb:search><query>x</query><filter><lang><!-- note -->de</lang></filter></kb:search></ACTION>';
  const places = valuesIn(text);
  expect(places['/filter/lang']?.repair).toContain('The comment inside <lang> is ignored');
  expect(places['/filter']).not.toHaveProperty('repair');
  expect(places['/query']).not.toHaveProperty('repair');
});

it('A value in an attribute has the range of its element', () => {
  expect(writtenIn('<ACTION><kb:search><query value="x"/></kb:search></ACTION>')).toEqual([
    { '/query': '<query value="x"/>' },
  ]);
});

it('The calls of a text with errors have their places as well', () => {
  const text = '<ACTION><kb:search><query>x</query><limit>many</limit></kb:search></ACTION>';
  const { calls, errors, places } = parse(text, { tools, places: true });
  expect([calls.length, errors.length]).toEqual([0, 1]);
  expect(places?.[0]?.places['/limit']?.raw).toBe('many');
});

it('A parameter with the name of an inherited property is a place like any other', () => {
  const places = valuesIn('<ACTION><kb:search><__proto__>x</__proto__></kb:search></ACTION>');
  expect(Object.keys(places)).toEqual(['/__proto__']);
});

it('A text with very many and very long values has bounded places', () => {
  const items = '<item>x</item>'.repeat(20_000);
  const long = `<ACTION><kb:search><query>${'y'.repeat(100_000)}</query><tags>${items}</tags></kb:search></ACTION>`;
  const places = valuesIn(long);
  expect(Object.keys(places)).toHaveLength(1_000);
  expect(places['/query']).toMatchObject({ raw: 'y'.repeat(2_000), endColumn: places['/query']!.column + 100_000 });
});

it('An error ends behind the value that is wrong, or behind the tag', () => {
  const text = '<ACTION><kb:search><limit>many</limit></kb:search><kb:serch/></ACTION>';
  const { errors } = parse(text, { tools, places: true });
  const marked = errors.map(({ line, column, endLine = 0, endColumn = 0 }) =>
    textOf(text, { line, column, endLine, endColumn }),
  );
  expect(marked).toEqual(['<kb:search>', '<limit>many', '<kb:serch/>']);
});

it('Without a request there are no places', () => {
  expect(parse(ACTION, { tools })).not.toHaveProperty('places');
});
