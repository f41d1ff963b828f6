import { RE2JS } from 're2js';
import { ToolError, type Json } from '@errand/contracts';
import { boundedText } from './bounded-text.js';
import { languageLimits } from './computation.js';
import { defineComputation } from './define-node.js';
import { oneOf } from './one-of.js';

const MAX_PATTERN = 1_000;
/** The steps of a pattern that compile, and the pairs of a step and a character that match, in a fraction of a millisecond. */
const QUICK_TO_COMPILE = 5_000;
const QUICK_TO_RUN = 20_000;

/** Operations that read each character once. The others may read the rest of the text from each of its characters. */
const ONE_PASS = new Set(['test', 'match']);

const FLAGS: Record<string, () => number> = {
  i: () => RE2JS.CASE_INSENSITIVE,
  m: () => RE2JS.MULTILINE,
  s: () => RE2JS.DOTALL,
};

type Operation = (pattern: RE2JS, text: string, replacement: string) => Json;

const OPERATIONS: Record<string, Operation> = {
  test: (pattern, text) => pattern.test(text),
  match: (pattern, text) => {
    const [first] = pattern.matchAll(text);
    return first ? matchOf(first) : null;
  },
  matchAll: (pattern, text) => Array.from(pattern.matchAll(text), matchOf),
  replace: (pattern, text, replacement) => boundedText(pattern.matcher(text).replaceAll(replacement)),
  split: (pattern, text) => pattern.split(text, -1),
};

export const regex = defineComputation({
  type: 'core:regex',
  displayName: 'Regular expression',
  description:
    'Tests, finds, replaces or splits matches of a regular expression in RE2 syntax, which has no look-around and no back-references and runs in linear time.',
  inputs: {
    text: { dataFlowType: 'STRING', required: true, description: 'The text to search' },
    pattern: {
      dataFlowType: 'STRING',
      required: true,
      description: 'The regular expression, without slashes, such as (?P<year>\\d{4})-(\\d\\d)',
    },
    op: {
      dataFlowType: 'STRING',
      description:
        'test: true or false; match: the first match or null; matchAll: the list of matches; replace: the text with every match replaced; split: the parts between the matches',
      matchCategories: ['ComboOption'],
      config: { default: 'match', suggestions: Object.keys(OPERATIONS) },
    },
    flags: {
      dataFlowType: 'STRING',
      description: 'Any of i (ignore case), m (^ and $ at each line), s (. matches line ends too)',
      config: { default: '' },
    },
    replacement: {
      dataFlowType: 'STRING',
      description:
        'For replace: the new text; $1 is the first group, $<name> a named one, $& the match, $$ a dollar sign',
      config: { default: '' },
    },
  },
  outputs: {
    result: {
      dataFlowType: 'WILDCARD',
      description: 'By op; a match is {match, index, groups: […], named: {…}}, a group without a match is null',
    },
  },
  // A pattern that compiles slowly is checked in a thread, when the node runs.
  checks: { pattern: (pattern) => void (costOf(pattern) <= QUICK_TO_COMPILE && compile(pattern, '')) },
  limits: languageLimits('pattern'),
  isCheap: ({ pattern, text, op }) =>
    costOf(pattern) * text.length * (ONE_PASS.has(op) ? 1 : text.length) <= QUICK_TO_RUN,
  compute({ text, pattern, op, flags, replacement }) {
    const operation = oneOf(OPERATIONS, 'op', op);
    return { result: operation(compile(pattern, flags), text, replacement) };
  },
});

/** An upper bound of the steps of a pattern: repetitions multiply them, up to 1,000 (RE2's own bound); Unicode classes are large. */
function costOf(pattern: string): number {
  if (pattern.length > MAX_PATTERN) return 0;
  const times = Array.from(pattern.matchAll(/\d+/g), ([count]) => Math.max(1, Number(count)));
  const repeated = Math.min(
    1_000,
    times.reduce((product, count) => product * count, 1),
  );
  const classes = pattern.split(/\\p/i).length - 1;
  return (pattern.length + 200 * classes) * repeated;
}

function compile(pattern: string, flags: string): RE2JS {
  if (pattern.length > MAX_PATTERN)
    throw new ToolError('ParameterValidationError', `'pattern' is longer than ${MAX_PATTERN} characters`);
  const bits = Array.from(flags, (flag) => oneOf(FLAGS, 'flags', flag)()).reduce((all, bit) => all | bit, 0);
  try {
    return RE2JS.compile(pattern, bits);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    const hint = /\(\?[=!<]/.test(pattern) ? '; look-ahead and look-behind are not supported' : '';
    throw new ToolError('ParameterValidationError', `'pattern' is not a regular expression: ${reason}${hint}`);
  }
}

function matchOf(found: RegExpMatchArray): Json {
  const [match, ...groups] = found;
  const named = Object.entries(found.groups ?? {}).map(([name, value]): [string, Json] => [name, value ?? null]);
  return {
    match,
    index: found.index ?? 0,
    groups: groups.map((group: string | undefined) => group ?? null),
    named: Object.fromEntries(named),
  };
}
