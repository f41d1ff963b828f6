import { RE2JS, RE2JSException } from 're2js';
import { patternToRe2 } from './pattern-to-re2.js';

const MAX_LENGTH = 512;

/** A pattern that is matched in linear time. */
export interface LinearPattern {
  test(text: string): boolean;
  /** The number of instructions of its program, which is the cost of compiling it. */
  size: number;
  /** The cost of a match with this text, in steps. */
  stepsFor(text: string): number;
}

const compiled = new Map<string, LinearPattern>();
const MAX_KEPT = 1000;

/**
 * A regular expression of a schema, with its meaning in JavaScript (flag `u`). RE2 matches any pattern in linear time.
 * Patterns that RE2 does not support (look-around, back-references) are refused.
 * @throws Error that describes the problem of the pattern
 */
export function linearPattern(pattern: string): LinearPattern {
  const known = compiled.get(pattern);
  if (known) return known;
  if (pattern.length > MAX_LENGTH) {
    throw new Error(`The pattern has ${pattern.length} characters; at most ${MAX_LENGTH} are allowed`);
  }
  // Refuses invalid JavaScript patterns with their well-known message.
  void new RegExp(pattern, 'u');
  const machine = compile(pattern);
  const size = machine.programSize();
  const fresh = {
    size,
    test: (text: string) => machine.test(text),
    stepsFor: ({ length }: string) => stepsOf(length, size),
  };
  if (compiled.size >= MAX_KEPT) compiled.clear();
  compiled.set(pattern, fresh);
  return fresh;
}

/**
 * A matcher has about one state for each character. On a long text, a large pattern may need all its states for each
 * character.
 */
function stepsOf(length: number, programSize: number): number {
  const isLong = length > 4_096;
  const stepsPerCharacter = isLong ? 3 + Math.max(0, programSize - 24) / 2 : 2 + programSize / 64;
  return 2 + Math.ceil(length * stepsPerCharacter);
}

function compile(pattern: string): RE2JS {
  const bare = pattern.replaceAll(/\\[^1-9k]|\[(?:\\[^]|[^\]\\])*\]/gu, '');
  const [lookAround] = /\(\?<?[=!]/.exec(bare) ?? [];
  if (lookAround !== undefined) throw refusal(pattern, `look-around, ${lookAround}…)`);
  const [reference] = /\\(?:[1-9]|k<)/.exec(bare) ?? [];
  if (reference !== undefined) throw refusal(pattern, `a back-reference, ${reference}`);
  try {
    return RE2JS.compile(patternToRe2(pattern));
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw refusal(pattern, `unsupported syntax: ${error.message}`);
  }
}

function refusal(pattern: string, what: string): Error {
  return new Error(`Patterns are matched in linear time, which does not support ${pattern}: ${what}`);
}
