import { toolLookupOf } from '@errand/registry';
import { filterPieces as filterParsed } from '../../test/readable-reference.js';
import { parse, ReadableTextFilter, withoutThoughts } from '../index.js';

const tools = toolLookupOf([{ toolId: 'ping', parameters: { type: 'object' } }]);
const BLOCK = '<ACTION><ping/></ACTION>';
const TAM = '<|[REQUEST_TOOL]|>command:「始」ping「末」<|[END_TOOL]|>';

const filterPieces = (pieces: string[]) => filterParsed(pieces, parse(pieces.join(''), { tools }).responseText);

/** What is passed for each piece, and the rest at the end. */
const EXAMPLES: { rule: string; pieces: string[]; passed: string[]; rest?: string }[] = [
  { rule: 'Prose is passed at once', pieces: ['Let ', 'me ', 'see.'], passed: ['Let', ' me', ' see.'] },
  { rule: 'Blanks at the end of a plain answer are passed at the end', pieces: ['Hi.\n'], passed: ['Hi.'], rest: '\n' },
  { rule: 'An ACTION block is never passed', pieces: ['Hi.\n', BLOCK, ' Done.'], passed: ['Hi.', '', ''] },
  { rule: 'A TAM block is never passed', pieces: ['Hi. ', TAM, 'Done.'], passed: ['Hi.', '', ''] },
  {
    rule: 'A marker in pieces is held',
    pieces: ['Hi <', 'ac', 'tion', '>', '<ping/></ACTION>'],
    passed: ['Hi', '', '', '', ''],
  },
  {
    rule: 'Text that only resembles a marker is passed',
    pieces: ['a <', 'actor', '> b'],
    passed: ['a', ' <actor', '> b'],
  },
  {
    rule: 'A marker behind other angles is found',
    pieces: ['a <<<', '<[TOOL_REQUEST]', 'x'],
    passed: ['a', ' <', '<<<[TOOL_REQUEST]x'],
  },
  { rule: 'A thought is dropped', pieces: ['<thi', 'nk>hm', '</think', '>', 'Yes'], passed: ['', '', '', '', 'Yes'] },
  {
    rule: 'A block in a thought does not stop the text',
    pieces: [`a <think>${BLOCK}${TAM}</think > b`],
    passed: ['a  b'],
  },
  {
    rule: 'A thought ends at its first closer',
    pieces: ['<think>a<think>b</think>c</think>d'],
    passed: ['c</think>d'],
  },
  {
    rule: 'A thought that is cut off is not passed',
    pieces: ['Hi.\n <think>so', ' I'],
    passed: ['Hi.', ''],
    rest: '\n ',
  },
  {
    rule: 'A mention of <think> is passed at the end',
    pieces: ['Use <think> here.'],
    passed: ['Use'],
    rest: ' <think> here.',
  },
  { rule: 'A comment is text', pieces: ['a <!-', '- b --', '> c'], passed: ['a', ' <!-- b --', '> c'] },
  { rule: 'A thought counts behind a comment', pieces: ['<!--a--><think>b</think>c'], passed: ['<!--a-->c'] },
  {
    rule: 'A <think> in a comment is text',
    pieces: ['<!-- <think> -->', 'a</think>'],
    passed: ['<!--', ''],
    rest: ' <think> -->a</think>',
  },
  {
    rule: 'A mention of a block is passed at the end',
    pieces: ['Write <ACTION>', '…</ACTION>', ' to act.'],
    passed: ['Write', '', ''],
    rest: ' <ACTION>…</ACTION> to act.',
  },
  {
    rule: 'The code fence around a block is not passed',
    pieces: ['See:\n``', '`xml\n', BLOCK, '\n```'],
    passed: ['See:', '', '', ''],
  },
  {
    rule: 'A code fence around other text is passed',
    pieces: ['See:\n```', 'js\n', 'x\n``', '`\n', 'ok'],
    passed: ['See:', '', '\n```js\nx', '', '\n```\nok'],
  },
  { rule: 'Ticks that are no fence are passed', pieces: ['``', 'a``\n`', ' b'], passed: ['', '``a``', '\n` b'] },
  {
    rule: 'A text that begins with a blank is passed at the end',
    pieces: ['\nHi ', 'you'],
    passed: ['', ''],
    rest: '\nHi you',
  },
  { rule: 'The blank at the beginning is cut before a block', pieces: ['\nHi ', BLOCK], passed: ['', ''], rest: 'Hi' },
  { rule: 'A surrogate pair stays whole', pieces: ['a\ud83d', '\ude00', 'b'], passed: ['a', '\ud83d\ude00', 'b'] },
  {
    rule: 'A lone surrogate is passed as it is',
    pieces: ['a\ud83d', 'b\ude00', '\ud83d'],
    passed: ['a', '\ud83db\ude00', ''],
    rest: '\ud83d',
  },
  { rule: 'An empty text gives nothing', pieces: ['', ''], passed: ['', ''] },
];

describe('The text for people', () => {
  it.each(EXAMPLES)('$rule', ({ pieces, passed, rest = '' }) => {
    expect(filterPieces(pieces)).toEqual({ passed, rest });
  });

  it('The example of the README shows what it says', () => {
    const pieces = ['<think>Hm.</thi', 'nk>I look it ', 'up.\n<ACT', 'ION><ping/></ACTION>'];
    expect(filterPieces(pieces)).toEqual({ passed: ['', 'I look it', ' up.', ''], rest: '' });
  });

  it('A thought stays hidden where parse cuts its end off with a code fence', () => {
    const pieces = ['a <think>secret\n``` x</think>\n', BLOCK];
    expect(parse(pieces.join(''), { tools }).responseText).toBe('a <think>secret');
    expect(filterPieces(pieces)).toEqual({ passed: ['a ', ''], rest: '' });
  });

  it('A block in a thought that is not closed hides the code fence around it', () => {
    const pieces = ['a\n~~~<think>', '<|[REQUEST_TOOL]|>\n', BLOCK];
    expect(filterPieces(pieces)).toEqual({ passed: ['a', '', ''], rest: '' });
  });

  it('The readable part of a whole text is available without a filter', () => {
    const text = `<think>hm</think>Let me see.\n${BLOCK}`;
    expect(withoutThoughts(text, parse(text, { tools }).responseText)).toBe('Let me see.');
  });

  it('The end refuses a text that is not the pushed one', () => {
    const filter = new ReadableTextFilter();
    filter.push('abc');
    expect(() => filter.end('ab', 'ab')).toThrow('3 characters were pushed, but the text has 2');
  });
});
