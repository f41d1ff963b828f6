import { readAnswer, readMessageText } from './read-a2a-message.js';

const text = (value: string) => ({ content: { $case: 'text', value } });
const data = (value: unknown) => ({ content: { $case: 'data', value } });
const other = ($case: string) => ({ content: { $case, value: 'x' } });

it('Text parts are the text, and data parts are JSON', () => {
  expect(readMessageText([text('One'), data({ n: 1 }), data(null)])).toEqual({ text: 'One\n{"n":1}\nnull' });
});

it.each([
  [[], { fault: 'empty' }],
  [[text('a'), other('raw')], { fault: 'unsupported', part: 1, kind: 'file' }],
  [[other('url')], { fault: 'unsupported', part: 0, kind: 'file' }],
  [[{ content: undefined }], { fault: 'unsupported', part: 0, kind: 'empty' }],
])('Parts that agents do not read are faults: %#', (parts, fault) => {
  expect(readMessageText(parts)).toEqual(fault);
  expect(readAnswer(parts)).toEqual(fault);
});

it('A single data part is the answer, and texts are one text', () => {
  expect(readAnswer([data([1])], { type: 'string' })).toEqual({ value: [1] });
  expect(readAnswer([text('a'), text('b')])).toEqual({ value: 'a\nb' });
});

it.each([
  ['42', { type: 'number' }, 42],
  ['{"n":1}', { type: 'object' }, { n: 1 }],
  ['many', { type: 'number' }, 'many'],
  ['42', { type: ['string', 'null'] }, '42'],
  ['42', undefined, '42'],
  ['42', true, '42'],
  ['42', { enum: ['42'] }, '42'],
])('The text %j is read as JSON only where the schema %j allows no text', (given, schema, value) => {
  expect(readAnswer([text(given)], schema)).toEqual({ value });
});
