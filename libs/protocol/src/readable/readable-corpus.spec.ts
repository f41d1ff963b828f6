import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolLookupOf, type AdHocTool } from '@errand/registry';
import * as fc from 'fast-check';
import { QUICK_PART, randomRuns } from '../../../../test/support/random-runs.js';
import { KINDS, textOf } from '../../test/mutants.js';
import { filterPieces, readableOf } from '../../test/readable-reference.js';
import { BLOCKS } from '../../test/valid-blocks.js';
import { parse, ReadableTextFilter, type ParseOptions } from '../index.js';

interface Case {
  text: string | string[];
  tools?: AdHocTool[];
  protocol?: ParseOptions['protocol'];
}

const folder = join(__dirname, '../../cases');
const TOOLS: AdHocTool[] = JSON.parse(readFileSync(join(folder, 'tools.json'), 'utf8'));
const defaults: ParseOptions = { tools: toolLookupOf(TOOLS) };
const files = readdirSync(folder).filter((file) => file.endsWith('.cases.json'));

const BLOCK = '<ACTION><ping/></ACTION>';
const TAM = '<|[REQUEST_TOOL]|>command:「始」ping「末」<|[END_TOOL]|>';
/** Texts that change what the text before them means. */
const ENDINGS = [
  BLOCK,
  ` \n\`\`\`xml\n${BLOCK}\n\`\`\``,
  `\n~~~\n\n${TAM}`,
  `</think>${TAM}`,
  `-->${BLOCK}</think>`,
  `${BLOCK} --> ${BLOCK}`,
  '</ACTION>',
  '<ACTION><ping>',
  '<<<[TOOL_REQUEST]>>>tool_name:「始」ping「末」<<<[END_TOOL_REQUEST]>>>',
  '<think>so</think> \n',
  '<think> no end',
  '> and more',
  '「末」<|[END_TOOL]|>',
];

function casesOf(file: string): { text: string; options: ParseOptions }[] {
  const cases: Case[] = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  return cases.map(({ text, tools, protocol }) => ({
    text: Array.isArray(text) ? text.join('\n') : text,
    options: { tools: tools ? toolLookupOf(tools) : defaults.tools, ...(protocol && { protocol }) },
  }));
}

/** How much of a text is passed behind each of its characters. */
function passedLengths(text: string): { passed: string; lengths: number[] } {
  const filter = new ReadableTextFilter();
  let passed = '';
  const lengths = Array.from({ length: text.length }, (_, at) => (passed += filter.push(text.charAt(at))).length);
  return { passed, lengths };
}

/** The cuts that do not give the readable text. */
function* wrongCuts(text: string, options: ParseOptions): Generator {
  const expected = readableOf(text, options);
  const { responseText } = parse(text, options);
  const cuts = [Array.from({ length: text.length }, (_, at) => text.charAt(at)), Array.from(text)];
  for (let at = 0; at <= text.length; at += QUICK_PART) cuts.push([text.slice(0, at), text.slice(at)]);
  for (const pieces of cuts) {
    const { passed, rest } = filterPieces(pieces, responseText);
    if (passed.join('') + rest !== expected) yield { pieces, passed, rest, expected };
  }
}

/** The beginnings of a text behind which the filter has passed too much for one of these endings. */
function* wrongBeginnings(text: string, options: ParseOptions, endings: readonly string[]): Generator {
  const { passed, lengths } = passedLengths(text);
  for (const [at, length] of lengths.entries()) {
    // The whole text is always one of the checked beginnings.
    if ((text.length - 1 - at) % QUICK_PART !== 0) continue;
    const ending = endings[at % endings.length] ?? '';
    const expected = readableOf(text.slice(0, at + 1) + ending, options);
    if (!expected.startsWith(passed.slice(0, length)))
      yield { text: text.slice(0, at + 1), ending, passed: passed.slice(0, length), expected };
  }
}

describe.each(files)('The filter of text for people agrees with parse on %s', (file) => {
  const cases = casesOf(file);

  it('Every text in one, two and single-character pieces gives responseText without thoughts', () => {
    expect(cases.flatMap(({ text, options }) => [...wrongCuts(text, options)])).toEqual([]);
  });

  it('Every text behind prose, a thought and a code fence gives responseText without thoughts', () => {
    const wrong = cases.flatMap(({ text, options }) =>
      [...wrongCuts(`Hm <think>\n\`\`\`</think>:\n\`\`\`xml\n${text}\n\`\`\``, options)].slice(0, 1),
    );
    expect(wrong).toEqual([]);
  });

  it('No beginning of a text has passed a character that the whole text hides', () => {
    const wrong = cases.flatMap(({ text, options }) => [...wrongBeginnings(`Ok.\n${text}`, options, [''])]);
    expect(wrong).toEqual([]);
  });

  it('No beginning of a text has passed a character that another ending hides', () => {
    const wrong = cases.flatMap(({ text, options }) => [...wrongBeginnings(`Ok.\n${text}`, options, ENDINGS)]);
    expect(wrong).toEqual([]);
  });
});

describe('The filter of text for people agrees with parse on mutants', () => {
  it.each(Object.keys(KINDS))('Blocks changed by %s are never passed in part', (kind) => {
    const wrong: unknown[] = [];
    for (const tokens of Object.values(BLOCKS)) {
      for (const mutant of KINDS[kind as keyof typeof KINDS](tokens)) {
        const text = `Ok: <b>\n\`\`\`\n${textOf(mutant)}\n\`\`\`\nDone <think>x</think>.`;
        const { passed, lengths } = passedLengths(text);
        const expected = readableOf(text, defaults);
        const { rest } = filterPieces([text], parse(text, defaults).responseText);
        const whole = passed + rest;
        if (!expected.startsWith(passed) || whole !== expected || lengths.at(-1) !== passed.length)
          wrong.push({ text, passed, whole, expected });
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('The filter of text for people agrees with parse on arbitrary text', () => {
  const TOKENS = [
    '<ACTION>',
    '<ACTION',
    '<action ',
    '</ACTION>',
    '<ping/>',
    '<ping>',
    '<',
    '<<<',
    '<|[',
    '<|[REQUEST_TOOL]|>',
    '<|[END_TOOL]|>',
    '<<<[TOOL_REQUEST]>>>',
    '<<<[END_TOOL_REQUEST]>>>',
    'command:「始」ping「末」',
    '<think>',
    '<think',
    '<THINK >',
    '</think>',
    '</think',
    '</',
    '<!--',
    '-->',
    '--',
    '-',
    '>',
    '```',
    '``',
    '`',
    '~~~',
    '\n',
    '\n```',
    '\r',
    ' ',
    '\t',
    '\u00a0',
    '\ufeff',
    '\u2028',
    'x',
    'a b',
    '…',
    '<![CDATA[',
    ']]>',
    '\ud83d',
    '\ude00',
    '😀',
    '\0',
    '=',
    '"',
  ];
  const parts = fc.array(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...TOKENS) }, fc.string({ maxLength: 4 })), {
    maxLength: 24,
  });
  const protocols = fc.constantFrom<NonNullable<ParseOptions['protocol']>>(
    'auto',
    'auto',
    'action',
    'tam',
    'tam2',
    'vcp',
  );

  it('Random cuts of arbitrary text give responseText without thoughts, and never too early', () => {
    fc.assert(
      fc.property(parts, fc.array(fc.nat({ max: 12 }), { minLength: 1 }), protocols, (given, sizes, protocol) => {
        const text = given.join('').replaceAll('\ue000', '');
        const options: ParseOptions = { ...defaults, protocol };
        const pieces: string[] = [];
        for (let at = 0, i = 0; at < text.length; i++) {
          const size = (sizes[i % sizes.length] ?? 0) + 1;
          pieces.push(text.slice(at, (at += size)));
        }
        const { passed, rest } = filterPieces(pieces, parse(text, options).responseText);
        expect(passed.join('') + rest).toBe(readableOf(text, options));
      }),
      { numRuns: randomRuns(10_000) },
    );
  });

  it('No beginning of arbitrary text has passed a character that an ending hides', () => {
    fc.assert(
      fc.property(parts, fc.constantFrom(...ENDINGS), protocols, (given, ending, protocol) => {
        const text = given.join('').replaceAll('\ue000', '');
        expect([...wrongBeginnings(text, { ...defaults, protocol }, [ending])]).toEqual([]);
      }),
      { numRuns: randomRuns(5_000) },
    );
  });

  it('A piece never ends in the middle of a surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const filter = new ReadableTextFilter();
        const pieces = Array.from({ length: text.length }, (_, at) => filter.push(text.charAt(at)));
        expect(pieces.filter((piece) => /\p{Cs}/u.test(piece))).toEqual([]);
      }),
    );
  });
});
