import { isMultipleOf, stepsOfDivision } from './decimal-multiple.js';
import { findFormat, type Format } from './bounded-formats.js';
import { linearPattern } from './linear-pattern.js';
import { fail, ofKind, type Check, type KeywordCompiler, type KeywordContext } from './schema-node.js';
import type { ValidationRun } from './validation-run.js';

/** Steps of one comparison in a format. */
const COMPARISON_STEPS = 16;

/** The keywords of numbers, in the order in which they are checked. */
export const NUMBER_KEYWORDS: Readonly<Record<string, KeywordCompiler>> = {
  maximum: limit('<=', (value, bound) => value <= bound),
  minimum: limit('>=', (value, bound) => value >= bound),
  exclusiveMaximum: limit('<', (value, bound) => value < bound),
  exclusiveMinimum: limit('>', (value, bound) => value > bound),
  multipleOf: (context) => {
    const { value: multipleOf } = context;
    if (typeof multipleOf !== 'number') return undefined;
    return ofKind<number>((value, run) => {
      run.take(stepsOfDivision(value, multipleOf));
      if (isMultipleOf(value, multipleOf)) return true;
      return fail(context, run, value, { multipleOf }, `must be multiple of ${multipleOf}`);
    });
  },
  format: formatOf('number'),
};

/** The keywords of strings, in the order in which they are checked. */
export const STRING_KEYWORDS: Readonly<Record<string, KeywordCompiler>> = {
  maxLength: length('more', (text, bound, run) => !hasMoreCharacters(text, bound, run)),
  minLength: length('fewer', (text, bound, run) => bound <= 0 || hasMoreCharacters(text, bound - 1, run)),
  pattern: (context) => {
    const { value: pattern } = context;
    if (typeof pattern !== 'string') return undefined;
    const matcher = linearPattern(pattern);
    return ofKind<string>((text, run) => {
      run.take(matcher.stepsFor(text));
      return matcher.test(text) || fail(context, run, text, { pattern }, `must match pattern "${pattern}"`);
    });
  },
  format: formatOf('string'),
  formatMaximum: order('<=', (difference) => difference <= 0),
  formatMinimum: order('>=', (difference) => difference >= 0),
  formatExclusiveMaximum: order('<', (difference) => difference < 0),
  formatExclusiveMinimum: order('>', (difference) => difference > 0),
};

function limit(comparison: string, fits: (value: number, bound: number) => boolean): KeywordCompiler {
  return (context) => {
    const { value: bound } = context;
    if (typeof bound !== 'number') return undefined;
    return ofKind<number>(
      (value, run) =>
        fits(value, bound) || fail(context, run, value, { comparison, limit: bound }, `must be ${comparison} ${bound}`),
    );
  };
}

function length(word: string, fits: (text: string, bound: number, run: ValidationRun) => boolean): KeywordCompiler {
  return (context) => {
    const { value: bound } = context;
    if (typeof bound !== 'number') return undefined;
    return ofKind<string>(
      (text, run) =>
        fits(text, bound, run) ||
        fail(context, run, text, { limit: bound }, `must NOT have ${word} than ${bound} characters`),
    );
  };
}

/** Whether a text has more than `bound` characters (code points). Looks no further than that. */
function hasMoreCharacters(text: string, bound: number, run: ValidationRun): boolean {
  if (text.length <= bound) return false;
  // A character has at most two units.
  if (text.length > 2 * bound) return true;
  run.take(text.length >> 1);
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    if (++count > bound) return true;
  }
  return false;
}

function formatOf(type: Format['type']): KeywordCompiler {
  return (context) => {
    const { value: name } = context;
    const format = typeof name === 'string' ? findFormat(name) : undefined;
    if (typeof name !== 'string' || format?.type !== type) return undefined;
    return (value, run) => {
      run.take(format.stepsFor(value));
      return format.fits(value) || fail(context, run, value, { format: name }, `must match format "${name}"`);
    };
  };
}

/** A limit for a format with an order, such as `date`. It is not in JSON Schema, but widely used. */
function order(comparison: string, fits: (difference: number) => boolean): KeywordCompiler {
  return (context: KeywordContext): Check | undefined => {
    const { value: bound, schema } = context;
    const format = typeof schema.format === 'string' ? findFormat(schema.format) : undefined;
    if (typeof bound !== 'string' || !format?.compare) return undefined;
    return ofKind<string>((text, run) => {
      run.take(COMPARISON_STEPS);
      const difference = text.length > bound.length + 64 ? undefined : format.compare?.(text, bound);
      // `format` refuses a text that does not match the format.
      if (difference === undefined || fits(difference)) return true;
      return fail(context, run, text, { comparison, limit: bound }, `should be ${comparison} ${bound}`);
    });
  };
}
