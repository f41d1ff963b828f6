import { toolLookupOf } from '@errand/registry';
import { parse, ReadableTextFilter } from '../index.js';
import { HeldText } from './held-text.js';
import { COMMENT_MARKERS, MarkerMatcher, PROSE_MARKERS, THOUGHT_MARKERS } from './match-markers.js';

const tools = toolLookupOf([{ toolId: 'ping', parameters: { type: 'object' } }]);
/** The documented bound of the held text, with half of a surrogate pair. */
const MAX_HELD = 4_097;

/** Texts of a given length that try to be slow or to fill the memory. */
const HOSTILE: Record<string, (length: number) => string> = {
  prose: (n) => 'Lorem ipsum < dolor & sit: amet, '.repeat(n / 33),
  angles: (n) => '<'.repeat(n),
  'angles and brackets': (n) => '<<<[TOOL_REQUEST]>>'.repeat(n / 19),
  'beginnings of markers': (n) => '<ACTIO<thin<!-<|[REQUEST_TOOL]|'.repeat(n / 31),
  'a thought without an end': (n) => `<think>${'a </thin'.repeat(n / 8)}`,
  'nested thoughts': (n) => `${'<think>'.repeat(n / 15)}${'</think>'.repeat(n / 15)}`,
  'closed thoughts': (n) => '<think></think>'.repeat(n / 15),
  'mentions of thoughts': (n) => 'a<think>'.repeat(n / 8),
  'blanks in the tag of a thought': (n) => `a<think${' '.repeat(n)}>`,
  'short blanks in tags of thoughts': (n) => `a${'<think    '.repeat(n / 10)}`,
  'closers with blanks': (n) => `<think>${'</think     '.repeat(n / 12)}`,
  blanks: (n) => `a${' \n'.repeat(n / 2)}b`,
  'a code fence of one line': (n) => `\`\`\`${'x '.repeat(n / 2)}`,
  'code fences': (n) => '```\n'.repeat(n / 4),
  'halves of code fences': (n) => '``\n~'.repeat(n / 4),
  comments: (n) => `a${'<!--'.repeat(n / 4)}`,
  hyphens: (n) => `<!--${'-'.repeat(n)}>`,
  'ACTION openers': (n) => `a${'<ACTION>'.repeat(n / 8)}`,
  'a block without an end': (n) => `a<ACTION><ping>${'x'.repeat(n)}`,
  'first halves of surrogate pairs': (n) => '\ud83d'.repeat(n),
  'second halves of surrogate pairs': (n) => '\ude00'.repeat(n),
};

/** Counts the characters that calls of a method read, until the returned function is called. */
function countCalls<T extends object>(
  prototype: T,
  name: keyof T & string,
  count: (characters: number) => void,
): () => void {
  const original: unknown = Reflect.get(prototype, name);
  if (typeof original !== 'function') throw new Error(`${name} is not a method`);
  const counted = function (this: T, ...args: unknown[]): unknown {
    count(String(args[0]).length);
    return Reflect.apply(original, this, args);
  };
  Reflect.set(prototype, name, counted);
  return () => Reflect.set(prototype, name, original);
}

/** Runs an action and returns the number of characters that the parts of the filter read in it. */
function countSteps(action: () => void): number {
  let steps = 0;
  const count = (characters: number) => void (steps += characters);
  const ends = [
    countCalls(MarkerMatcher.prototype, 'next', count),
    countCalls(HeldText.prototype, 'read', count),
    countCalls(HeldText.prototype, 'readRun', count),
  ];
  try {
    action();
  } finally {
    for (const end of ends) end();
  }
  return steps;
}

/** Filters a text in pieces of one size. Returns the length of all passed text and the most that was held. */
function filter(text: string, size: number): { passed: number; rest: string; mostHeld: number } {
  const readable = new ReadableTextFilter();
  let passed = 0;
  let mostHeld = 0;
  for (let at = 0; at < text.length; at += size) {
    passed += readable.push(text.slice(at, at + size)).length;
    if (readable.heldLength > mostHeld) mostHeld = readable.heldLength;
  }
  return { passed, rest: readable.end(text, parse(text, { tools }).responseText), mostHeld };
}

describe('Hostile texts for people', () => {
  it.each(Object.keys(HOSTILE))(
    'A hundred thousand characters of %s one by one are filtered with bounded memory',
    (name) => {
      const text = HOSTILE[name]!(100_000);
      const { passed, rest, mostHeld } = filter(text, 1);
      expect(mostHeld).toBeLessThanOrEqual(MAX_HELD);
      expect(passed + rest.length).toBeLessThanOrEqual(text.length);
    },
  );

  // Every character is read a bounded number of times, however long the text is.
  it.each(Object.keys(HOSTILE))('Filtering takes linear steps for %s, in any pieces', (name) => {
    for (const length of [10_000, 80_000]) {
      const text = HOSTILE[name]!(length);
      for (const size of [1, 1_000, text.length]) {
        const readable = new ReadableTextFilter();
        const steps = countSteps(() => {
          for (let at = 0; at < text.length; at += size) readable.push(text.slice(at, at + size));
        });
        expect(steps).toBeGreaterThan(0);
        expect(steps).toBeLessThanOrEqual(8 * text.length);
      }
    }
  });

  it('Every marker begins with the one character that plain text must not contain', () => {
    const markers = [...PROSE_MARKERS, ...COMMENT_MARKERS, ...THOUGHT_MARKERS];
    expect(new Set(markers.flatMap(({ lower, upper }) => [lower.charAt(0), upper.charAt(0)]))).toEqual(new Set(['<']));
  });

  it('A line of plain text is read in one step, not character by character', () => {
    let runs = 0;
    const end = countCalls(HeldText.prototype, 'readRun', () => runs++);
    const readable = new ReadableTextFilter();
    const characters = countSteps(() => {
      expect(readable.push('A line of `words`, without a marker.\nAnd another.')).toHaveLength(49);
    });
    end();
    // The line break is read by the matcher and by the held text.
    expect([runs, characters]).toEqual([2, 48 + 2]);
  });

  it('10 MB of prose are passed as they come', () => {
    const text = 'Lorem ipsum < dolor & sit: amet,\n'.repeat(320_000);
    const { passed, rest } = filter(text, 65_536);
    expect([passed, rest]).toEqual([text.length - 1, '\n']);
  });

  it('10 MB of a thought in one piece hold only the blank before it', () => {
    const readable = new ReadableTextFilter();
    expect([readable.push(`Hi <think>${'hm '.repeat(3_500_000)}`), readable.heldLength]).toEqual(['Hi', 1]);
    expect(readable.push('</think>you')).toBe(' you');
  });

  it('10 MB behind a mention of a block hold nothing, and the end passes them', () => {
    const text = `Write <ACTION> first. ${'More. '.repeat(1_700_000)}`;
    const { passed, rest, mostHeld } = filter(text, 65_536);
    expect([passed, mostHeld]).toEqual([5, 0]);
    expect(rest).toBe(text.slice(5));
  });
});
