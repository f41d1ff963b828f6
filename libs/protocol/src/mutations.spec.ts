import { toolLookupOf } from '@errand/registry';
import { parse } from './index.js';

const tools = toolLookupOf([
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
  {
    toolId: 'move',
    parameters: {
      type: 'object',
      properties: {
        to: { type: 'object', properties: { x: { type: 'integer' }, name: { type: 'string' } } },
        by: { type: 'string' },
      },
    },
  },
  { toolId: 'ping', parameters: { type: 'object', properties: { note: { type: 'string' } } } },
]);

/**
 * Valid blocks as tokens. Data tokens (in single braces) may have any content, so only the other tokens are mutated.
 */
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
  'ACTION with templates': [
    '<ACTION>',
    '<ping>',
    '</ping>',
    '<write>',
    '<path>',
    '{{steps.1.result}}',
    '</path>',
    '<content>',
    '<![CDATA[',
    '{a[b[0}',
    ']]]]><![CDATA[>',
    '{ 1}',
    ']]>',
    '</content>',
    '<mode>',
    '{{ steps.1.result }}',
    '</mode>',
    '</write>',
    '</ACTION>',
  ],
  'ACTION with an object': [
    '<ACTION>',
    '<move>',
    '<to>',
    '<x>',
    '{1}',
    '</x>',
    '<name>',
    '<![CDATA[',
    '{<b>}',
    ']]>',
    '</name>',
    '</to>',
    '<by>',
    '{note}',
    '</by>',
    '</move>',
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

/** A token in single braces is data. A token in double braces is a template. */
function isData(token: string): boolean {
  return /^\{(?!\{)[^{}]*\}$/.test(token);
}

/** A value or a part of one. Dropping or moving it gives another valid block. */
function isValue(token: string): boolean {
  return token.startsWith('{') || token.startsWith(']]]]');
}

/** Drops, doubles or swaps whole tokens. */
function* tokenMutants(tokens: string[]): Generator<string[]> {
  for (const [i, token] of tokens.entries()) {
    const next = tokens[i + 1];
    if (!isValue(token)) {
      yield tokens.toSpliced(i, 1);
      yield tokens.toSpliced(i, 0, token);
    }
    const isWithin = next === undefined || (isValue(token) && isValue(next));
    if (!isWithin && next !== token) yield tokens.toSpliced(i, 2, next, token);
  }
}

/** Drops, doubles or swaps single characters, changes their case or width, or inserts a blank. */
function* characterMutants(tokens: string[]): Generator<string[]> {
  for (const [i, token] of tokens.entries()) {
    if (isData(token)) continue;
    for (const [at, char] of Array.from(token).entries()) {
      const chars = Array.from(token);
      const wide = /[!-~]/.test(char) ? String.fromCharCode(char.charCodeAt(0) + 0xfee0) : char;
      const flipped = char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase();
      const mutants = [
        chars.toSpliced(at, 1),
        chars.toSpliced(at, 0, char),
        chars.toSpliced(at, 1, wide),
        chars.toSpliced(at, 1, flipped),
        ...(at > 0 ? [chars.toSpliced(at, 0, ' ')] : []),
        ...(at + 1 < chars.length ? [chars.toSpliced(at, 2, chars[at + 1]!, char)] : []),
      ];
      for (const mutant of new Set(mutants.map((one) => one.join(''))))
        if (mutant !== token) yield tokens.toSpliced(i, 1, mutant);
    }
  }
}

/** Adds attributes to start tags, as an author of HTML may write them. */
function* attributeMutants(tokens: string[]): Generator<string[]> {
  for (const [i, token] of tokens.entries()) {
    const tag = /^<([a-z_]+)((?: [^>]*)?)>$/i.exec(token);
    if (!tag) continue;
    const [, name, attributes] = tag;
    for (const given of [
      'value="v"',
      'path="v"',
      'content="v"',
      'x="1"',
      'note="v"',
      'value',
      'value="v" value="w"',
      '"v"',
    ]) {
      yield tokens.toSpliced(i, 1, `<${name}${attributes} ${given}>`);
      const end = tokens.indexOf(`</${name}>`, i);
      if (end !== -1) yield tokens.toSpliced(i, end - i + 1, `<${name}${attributes} ${given}/>`);
    }
  }
}

function textOf(tokens: string[]): string {
  return tokens.map((token) => (isData(token) ? token.slice(1, -1) : token)).join('');
}

/** The calls as text. Blanks inside the braces of a template are ignored. */
function written(calls: unknown): string {
  return JSON.stringify(calls).replace(/\{\{[^{}]*\}\}/g, (template) => template.replaceAll(' ', ''));
}

const KINDS = { tokenMutants, characterMutants, attributeMutants };

describe.each(Object.entries(KINDS))(
  'Mutants of a valid block (%s) keep its calls or give an error or a warning',
  (kind, mutantsOf) => {
    const counts: Record<string, Record<'same' | 'error' | 'warning' | 'silent', number>> = {};

    it.each(Object.keys(BLOCKS))('No mutant of the block "%s" silently calls something else', (name) => {
      const original = parse(textOf(BLOCKS[name]!), { tools });
      expect([original.errors, original.warnings]).toEqual([[], []]);
      const count = (counts[name] = { same: 0, error: 0, warning: 0, silent: 0 });
      const silent: unknown[] = [];
      for (const mutant of mutantsOf(BLOCKS[name]!)) {
        const { calls, errors, observation } = parse(textOf(mutant), { tools });
        const isSame = written(calls) === written(original.calls);
        const isWarned = observation?.includes('Observation: Warning - ') === true;
        const ending = errors.length > 0 ? 'error' : isSame ? 'same' : isWarned ? 'warning' : 'silent';
        if (ending === 'silent')
          silent.push(`${textOf(mutant)} ${JSON.stringify(calls.map((call) => call.arguments))}`);
        count[ending]++;
      }
      expect(silent).toEqual([]);
    });

    afterAll(() => {
      const lines = Object.entries(counts).map(
        ([name, { same, error, warning }]) =>
          `${kind} of ${name}: ${same + error + warning} mutants, ${same} the same call, ${error} an error, ${warning} a warning`,
      );
      process.stdout.write(`${lines.join('\n')}\n`);
    });
  },
);
