import { RE2JS } from 're2js';
import { ToolError, type Json } from '@errand/contracts';
import { boundedText } from './bounded-text.js';
import { defineNode } from './define-node.js';
import { oneOf } from './one-of.js';
import { withinTime } from './within-time.js';

const MAX_PATTERN = 1_000;

const FLAGS: Record<string, number> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
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

export const regex = defineNode({
  type: 'core:regex',
  displayName: 'Regular expression',
  description:
    'Tests, finds, replaces or splits what fits a regular expression in RE2 syntax: like others, but without look-around and back-references, and never slow.',
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
      description: 'By op; a match is {match, index, groups: […], named: {…}}, a group that took no part is null',
    },
  },
  checks: { pattern: (pattern) => void compile(pattern, '') },
  run({ text, pattern, op, flags, replacement }) {
    const operation = oneOf(OPERATIONS, 'op', op);
    const compiled = compile(pattern, flags);
    return { result: withinTime("'pattern'", () => operation(compiled, text, replacement)) };
  },
});

function compile(pattern: string, flags: string): RE2JS {
  if (pattern.length > MAX_PATTERN)
    throw new ToolError('ParameterValidationError', `'pattern' is longer than ${MAX_PATTERN} characters`);
  const bits = Array.from(flags, (flag) => oneOf(FLAGS, 'flags', flag)).reduce((all, bit) => all | bit, 0);
  try {
    return withinTime("'pattern'", () => RE2JS.compile(pattern, bits));
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    const hint = /\(\?[=!<]/.test(pattern) ? '; look-ahead and look-behind are not supported' : '';
    throw new ToolError('ParameterValidationError', `'pattern' is no regular expression: ${reason}${hint}`);
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
