import { join } from 'node:path';
import { countWords, proseIn, proseOf, type Prose } from './support/prose.js';

const ROOT = join(__dirname, '..');
/** Highest rate of each pattern, in occurrences per 1,000 words of prose. */
const HIGHEST_RATE = 1;

/** The begin of a sentence: the begin of the text, or behind a full stop, a colon or a semicolon. */
const BEGIN = String.raw`(?:^|[.:;!?]["')*_]*\s+|\n\s*\n\s*)["'(*_]*`;

/** Patterns of English that is hard to read, as docs/style.md names them. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  'a headless clause opens the sentence': new RegExp(
    `${BEGIN}(?:what|whatever|where|so|of (?:one|those|what|a|an|several))\\b(?![^.?]*\\?)`,
    'gi',
  ),
  'tell, tells, told': /\b(?:tell|tells|told)\b/gi,
  'stands, lies, comes to, comes of, goes before': /\b(?:stands|lies|comes to|comes of|goes before)\b/gi,
  'is none, is no, are no': /\b(?:is none|is no|are no)\b/gi,
  'who or whoever begins a clause': new RegExp(`(?:${BEGIN}|, )(?:who|whoever)\\b(?![^.?]*\\?)`, 'gi'),
  'is to, are to, was to': /\b(?:is|are|was) to\b/gi,
};

/** Old names and metaphors, and the words that replace them. */
const OLD_WORDS: readonly (readonly [old: RegExp, now: string])[] = [
  [/\bwish(?:es|ed)?\b/gi, 'cancel request'],
  [/\b(?:un)?park(?:s|ed|ing)?\b/gi, 'suspend'],
  [/\bbells?\b|\bwakeups?\b/gi, 'notification'],
  [/\bfleets?\b/gi, 'container registry'],
  [/\bshelf\b|\bshelves\b/gi, 'pool'],
  [/\bseat(?:s|ed)?\b/gi, 'slot'],
  [/\bin hand\b/gi, 'running'],
  [/\baside\b/gi, 'deferred'],
  [/\bow(?:es|ed|ing)\b/gi, 'pending'],
  [/\bat the door\b|\bdesks?\b/gi, 'enqueue'],
  [/\bfurnish(?:es|ed|ing)?\b/gi, 'prepare'],
  [/\bgreet(?:s|ed)?\b/gi, 'wait for ready'],
  [/\battendants?\b/gi, 'run process'],
  [/\bjudg(?:e|es|ed|ing)\b/gi, 'decide'],
  [/\bfacets?\b|\bstanding sets?\b/gi, 'index field, status set'],
  [/\bmend(?:s|ed|ing)?\b/gi, 'fix'],
  [/\bdear\b/gi, 'expensive'],
  [/\bin vain\b/gi, 'without success'],
  [/\bforgetters?\b/gi, 'retention'],
  [/\bnews\b/gi, 'notification'],
  [/\bfigures\b/gi, 'metrics, numbers'],
];

/** Folders and files whose prose follows the style. */
const PLAIN: readonly string[] = [
  'apps/api',
  'apps/errand',
  'apps/worker',
  'bootstrap',
  'examples',
  'plugins/core',
  'apps/script-runner',
  'runtimes',
  'test',
  'libs/agents',
  'libs/contracts',
  'libs/engine',
  'libs/protocol',
  'libs/platform',
  'libs/queue',
  'libs/registry',
  'libs/tool-generator',
  'libs/threads',
  'docs',
  'bench',
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
];

interface Finding {
  at: string;
  text: string;
}

function findingsOf(prose: readonly Prose[], pattern: RegExp): Finding[] {
  return prose.flatMap(({ file, line, text }) =>
    [...text.matchAll(pattern)].map(({ index }) => ({
      at: `${file}:${line}`,
      text: text.slice(Math.max(0, index - 30), index + 60).replaceAll(/\s+/g, ' '),
    })),
  );
}

describe.each(PLAIN)('The prose of %s', (folder) => {
  const prose = proseIn(ROOT, folder);
  const thousands = countWords(prose) / 1_000;

  it.each(Object.entries(PATTERNS))('uses the pattern "%s" at most once in 1,000 words', (_, pattern) => {
    const found = findingsOf(prose, pattern);
    expect(found.length <= HIGHEST_RATE * thousands ? [] : found).toEqual([]);
  });

  it.each(OLD_WORDS)('uses no old word like %s: "%s" is the term', (old) => {
    expect(findingsOf(prose, old)).toEqual([]);
  });
});

describe('The reader of prose', () => {
  it('finds comments, titles, messages and paragraphs with their lines', () => {
    const script = `/** Says a thing. */\nit('does a thing', () => {\n  // One line,\n  // and the next.\n  throw new Error('this is a message');\n});`;
    expect(proseOf('a.ts', script)).toMatchObject([
      { line: 1, kind: 'comment', text: expect.stringContaining('Says a thing.') },
      { line: 2, kind: 'title', text: 'does a thing' },
      { line: 3, kind: 'comment', text: 'One line, and the next.' },
      { line: 5, kind: 'message', text: 'this is a message' },
    ]);
    const page = '# Head\n\nOne `told` line\nand more.\n\n```\ntold\n```\n';
    expect(proseOf('a.md', page)).toMatchObject([
      { line: 1, text: 'Head' },
      { line: 3, text: 'One X line and more.' },
    ]);
    expect(proseOf('a.lua', 'x()\n-- One\n-- two\n')).toMatchObject([{ line: 2, text: 'One two' }]);
  });
});
