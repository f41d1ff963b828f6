import { readAnswer } from './read-answer.js';

const agent = { output: { type: 'object' } };
const read = (text: string) => readAnswer({ agent }, text, text);

describe('The answer of an agent with `output`', () => {
  it.each([
    '{"a": 1}',
    '```json\n{"a": 1}\n```',
    '```\n{"a": 1}```',
    '``` \n\n {"a": 1}\n\n```\n',
    '\n```json  \r\n{"a": 1}\r\n```',
  ])('JSON is read with a code fence and without one: %j', (text) => {
    expect(read(text)).toEqual({ a: 1 });
  });

  it.each(['```', '```json', '```json\n``', 'text', '```js\n{}\n```'])(
    'A text that does not parse is a syntax error: %j',
    (text) => {
      expect(() => read(text)).toThrow(SyntaxError);
    },
  );

  it('The search for a code fence takes linear time', () => {
    for (const part of ['\n', ' \n', '```\n', '``` '])
      expect(() => read(`\`\`\`${part.repeat(500_000)}x`)).toThrow(SyntaxError);
  });
});
