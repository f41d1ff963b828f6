import type { LocatedProblem, TextFix } from '@errand/contracts';
import { toolLookupOf } from '@errand/registry';
import { randomRuns } from '../../../../test/support/random-runs.js';
import { KINDS, textOf } from '../../test/mutants.js';
import { BLOCKS } from '../../test/valid-blocks.js';
import { parse } from '../parse-text.js';
import { parseWithFixes } from './find-fixes.js';
import { applyEdit, offsetOf } from './text-edit.js';

const tools = toolLookupOf([
  {
    toolId: 'kb:search',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: 'integer', minimum: 1 },
        exact: { type: 'boolean' },
        order: { enum: ['newest', 'oldest'] },
        filter: { type: 'object', properties: { lang: { type: 'string' } }, additionalProperties: false },
      },
      required: ['query'],
      additionalProperties: false,
    },
  },
  { toolId: 'write', parameters: { type: 'object', properties: { path: {}, content: {}, mode: { type: 'integer' } } } },
  { toolId: 'move', parameters: { type: 'object', properties: { to: { type: 'object' }, by: { type: 'string' } } } },
  { toolId: 'ping', parameters: { type: 'object', properties: { note: { type: 'string' } } } },
]);
const options = { tools, places: true };

const action = (inner: string) => `Hm.\n<ACTION>\n<kb:search><query>x</query>${inner}</kb:search>\n</ACTION>`;
const tam = (...fields: string[]) => `<|[REQUEST_TOOL]|>\n${fields.join(',\n')}\n<|[END_TOOL]|>`;
const command = 'command:「始」kb:search「末」';
const query = 'query:「始」x「末」';

function applied(text: string, fix: TextFix): string {
  const [start, end] = [offsetOf(text, fix.line, fix.column), offsetOf(text, fix.endLine, fix.endColumn)];
  return applyEdit(text, { start, end, text: fix.text });
}

/** The text after the fix of its first error. */
function fixed(text: string): string {
  const [first] = parseWithFixes(text, options).errors;
  return first?.fix ? applied(text, first.fix) : 'no fix';
}

describe('Fixes of errors in a text', () => {
  it.each([
    ['a misspelt tool', action('').replaceAll('kb:search', 'kb:serch'), action('')],
    [
      'a misspelt tool in a tool_id',
      '<ACTION><tool_id>kb:serch</tool_id><inputs><input name="query">x</input></inputs></ACTION>',
      '<ACTION><tool_id>kb:search</tool_id><inputs><input name="query">x</input></inputs></ACTION>',
    ],
    ['a misspelt parameter', action('<limt>3</limt>'), action('<limit>3</limit>')],
    [
      'a misspelt nested property',
      action('<filter><lng>de</lng></filter>'),
      action('<filter><lang>de</lang></filter>'),
    ],
    [
      'a misspelt property in JSON',
      action('<filter>{"lng": "de"}</filter>'),
      action('<filter>{"lang": "de"}</filter>'),
    ],
    ['a wrong word of an enum', action('<order>newst</order>'), action('<order>newest</order>')],
    ['a number with a unit', action('<limit>3 items</limit>'), action('<limit>3</limit>')],
    ['a number in words', action('<limit>three</limit>'), action('<limit>3</limit>')],
    ['a boolean in words', action('<exact>yes</exact>'), action('<exact>true</exact>')],
    ['a boolean of another language', action('<exact>True</exact>'), action('<exact>true</exact>')],
    ['a boolean in quotes', action('<exact>"false"</exact>'), action('<exact>false</exact>')],
    ['an integer with a fraction of zero', action('<limit>3.0</limit>'), action('<limit>3</limit>')],
    ['a full-width digit', action('<limit>３</limit>'), action('<limit>3</limit>')],
    ['a missing end tag', action('<limit>3'), action('<limit>3</limit>')],
    ['a misspelt end tag', action('<limit>3</limt>'), action('<limit>3</limit>')],
    ['a misspelt end tag of a call', action('').replace('</kb:search>', '</kb:serch>'), action('')],
    ['a missing end of the block', action('').replace('</ACTION>', ''), action('')],
    ['a misspelt tool in TAM', tam(command.replace('search', 'serch'), query), tam(command, query)],
    [
      'a misspelt parameter in TAM',
      tam(command, query, 'limt:「始」3「末」'),
      tam(command, query, 'limit:「始」3「末」'),
    ],
    [
      'a number with a unit in TAM',
      tam(command, query, 'limit:「始」3 x「末」'),
      tam(command, query, 'limit:「始」3「末」'),
    ],
    ['a missing mark in TAM', tam(command, 'query:「始」x'), tam(command, query)],
    ['a missing end of a block in TAM', tam(command, query).replace('\n<|[END_TOOL]|>', ''), tam(command, query)],
  ])('One edit corrects %s', (_, wrong, right) => {
    expect(parse(wrong, options).errors).not.toEqual([]);
    expect(fixed(wrong)).toBe(right);
  });

  it('A block that ends in the middle of elements is closed', () => {
    const text = fixed('<ACTION><kb:search><query>x</query><limit>3');
    expect(parse(text, options).calls).toEqual([{ toolId: 'kb:search', arguments: { query: 'x', limit: 3 } }]);
  });

  it.each([
    ['has no near name', action('<colour>red</colour>')],
    ['names a step that does not exist', action('<limit>{{steps.9.result}}</limit>')],
    ['could mean two numbers', action('<limit>3 or 4</limit>')],
    ['misses a parameter', '<ACTION><kb:search><limit>3</limit></kb:search></ACTION>'],
  ])('An error that %s gets no fix', (_, text) => expect(fixed(text)).toBe('no fix'));

  it('A long text with many errors is parsed a bounded number of times', () => {
    const many = `<ACTION>${'<kb:search><qery>x</qery></kb:search>'.repeat(900)}</ACTION>`;
    let found = 0;
    const counted = { ...tools, find: (name: string) => (found++, tools.find(name)) };
    parse(many, { tools: counted, places: true });
    const once = found;
    parseWithFixes(many, { tools: counted, places: true });
    expect(found).toBeLessThan(once * 30);
  });
});

/** Every mutant has several neighbours with the same kind of error. */
const STEP = Math.ceil(20 / randomRuns(5));

/** Whether the errors have this one. */
const has = (errors: readonly LocatedProblem[], { kind, message, path, call }: LocatedProblem) =>
  errors.some((one) => one.kind === kind && one.message === message && one.path === path && one.call === call);

describe.each(Object.entries(KINDS))('Each fix of a mutant (%s)', (_, mutantsOf) => {
  it.each(Object.keys(BLOCKS))('A fix in the block "%s" removes its error and makes no other one there', (name) => {
    const mutants = [...mutantsOf(BLOCKS[name] ?? [])];
    for (const text of mutants.filter((_each, n) => n % STEP === 0).map(textOf)) {
      const { errors } = parseWithFixes(text, options);
      for (const error of errors) {
        if (!error.fix) continue;
        const after = parse(applied(text, error.fix), options).errors;
        const isAlone = errors.filter((one) => has([one], error)).length === 1;
        if (isAlone) expect({ text, fix: error.fix, has: has(after, error) }).toMatchObject({ has: false });
        const known = errors.some((one) => one !== error && one.line === error.line && one.column === error.column);
        const there = after.some((one) => one.line === error.line && one.column === error.column && !has(errors, one));
        expect({ text, fix: error.fix, there: there && !known }).toMatchObject({ there: false });
      }
    }
  });
});
