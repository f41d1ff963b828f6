import { toolBookOf } from '@errand/registry';
import { parse } from './index.js';

const tools = toolBookOf([
  {
    toolId: 'write',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        content: { type: 'string' },
        mode: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
      },
    },
  },
  { toolId: 'ping', parameters: { type: 'object', properties: { note: { type: 'string' } } } },
]);

/** Valid blocks as tokens. What a data token (in braces here) says is up to the author, so only the others are tampered with. */
const BLOCKS: Record<string, string[]> = {
  'ACTION form A': [
    '<ACTION>',
    '<write>',
    '<path>',
    '{a.txt}',
    '</path>',
    '<content>',
    '<![CDATA[',
    '{x < y}',
    ']]>',
    '</content>',
    '<mode>',
    '{7}',
    '</mode>',
    '<tags>',
    '<item>',
    '{one}',
    '</item>',
    '<item>',
    '{two}',
    '</item>',
    '</tags>',
    '</write>',
    '<ping>',
    '<note>',
    '{hi}',
    '</note>',
    '</ping>',
    '</ACTION>',
  ],
  'ACTION form B': [
    '<ACTION>',
    '<tool_id>',
    '{write}',
    '</tool_id>',
    '<inputs>',
    '<input name="path">',
    '{a.txt}',
    '</input>',
    '<input name="content">',
    '{text}',
    '</input>',
    '</inputs>',
    '</ACTION>',
  ],
  'TAM single': [
    '<|[REQUEST_TOOL]|>',
    'command',
    ':',
    '「始」',
    '{write}',
    '「末」',
    ',',
    '\n',
    'path',
    ':',
    '「始」',
    '{a.txt}',
    '「末」',
    ',',
    '\n',
    'content',
    ':',
    '「始」',
    '{some text}',
    '「末」',
    '\n',
    'mode',
    ':',
    '「始」',
    '{7}',
    '「末」',
    '\n',
    '<|[END_TOOL]|>',
  ],
  'TAM on one line': [
    '<|[REQUEST_TOOL]|>',
    'command',
    ':',
    '「始」',
    '{write}',
    '「末」',
    ',',
    'path',
    ':',
    '「始」',
    '{a.txt}',
    '「末」',
    ',',
    'content',
    ':',
    '「始」',
    '{some text}',
    '「末」',
    '<|[END_TOOL]|>',
  ],
  'TAM chained': [
    '<|[REQUEST_TOOL]|>',
    'command1',
    ':',
    '「始」',
    '{write}',
    '「末」',
    '\n',
    'path1',
    ':',
    '「始」',
    '{a.txt}',
    '「末」',
    '\n',
    'command2',
    ':',
    '「始」',
    '{ping}',
    '「末」',
    '\n',
    'note2',
    ':',
    '「始」',
    '{hi}',
    '「末」',
    '\n',
    '<|[END_TOOL]|>',
  ],
  tam2: [
    '<|[REQUEST_TOOL]|>',
    'command',
    ':',
    '»»»',
    '{write}',
    '«««',
    '\n',
    'path',
    ':',
    '»»»',
    '{a.txt}',
    '«««',
    '\n',
    'content',
    ':',
    '»»»',
    '{text}',
    '«««',
    '\n',
    '<|[END_TOOL]|>',
  ],
  vcp: [
    '<<<[TOOL_REQUEST]>>>',
    'tool_name',
    ':',
    '「始」',
    '{write}',
    '「末」',
    ',\n',
    'path',
    ':',
    '「始」',
    '{a.txt}',
    '「末」',
    ',\n',
    'content',
    ':',
    '「始ESCAPE」',
    '{text}',
    '「末ESCAPE」',
    '\n',
    '<<<[END_TOOL_REQUEST]>>>',
  ],
};

function isData(token: string): boolean {
  return token.startsWith('{');
}

function* mutantsOf(tokens: string[]): Generator<string[]> {
  for (const [i, token] of tokens.entries()) {
    const next = tokens[i + 1];
    if (!isData(token)) {
      yield tokens.toSpliced(i, 1);
      yield tokens.toSpliced(i, 0, token);
    }
    if (next !== undefined && next !== token) yield tokens.toSpliced(i, 2, next, token);
  }
}

function textOf(tokens: string[]): string {
  return tokens.map((token) => (token.startsWith('{') ? token.slice(1, -1) : token)).join('');
}

describe('dropping, doubling or swapping one token of a valid block', () => {
  const counts: Record<string, Record<'same' | 'error' | 'warning' | 'silent', number>> = {};

  it.each(Object.keys(BLOCKS))('%s: the same call, an error or a warning', (name) => {
    const original = parse(textOf(BLOCKS[name]!), { tools });
    expect(original.errors).toEqual([]);
    expect(original.warnings).toEqual([]);
    const count = (counts[name] = { same: 0, error: 0, warning: 0, silent: 0 });
    for (const mutant of mutantsOf(BLOCKS[name]!)) {
      const { calls, errors, warnings } = parse(textOf(mutant), { tools });
      const isSame = JSON.stringify(calls) === JSON.stringify(original.calls);
      const ending = errors.length > 0 ? 'error' : isSame ? 'same' : warnings.length > 0 ? 'warning' : 'silent';
      expect([textOf(mutant), calls, ending]).not.toEqual([textOf(mutant), calls, 'silent']);
      count[ending]++;
    }
  });

  afterAll(() => {
    const lines = Object.entries(counts).map(
      ([name, { same, error, warning }]) =>
        `${name}: ${same + error + warning} mutants, ${same} the same call, ${error} an error, ${warning} a warning`,
    );
    process.stdout.write(`${lines.join('\n')}\n`);
  });
});
