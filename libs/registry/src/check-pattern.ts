const MAX_LENGTH = 512;

/**
 * A regular expression of a schema, compiled. A pattern in which something repeated without bound is itself repeated without
 * bound, as `(a+)+`, is refused: on a text that almost matches it may take exponential time. (Patterns that take polynomial
 * time pass.)
 * @throws Error saying what is wrong with the pattern
 */
export function compilePattern(pattern: string, flags = 'u'): RegExp {
  if (pattern.length > MAX_LENGTH) {
    throw new Error(`The pattern has ${pattern.length} characters; at most ${MAX_LENGTH} are allowed`);
  }
  const compiled = new RegExp(pattern, flags);
  if (repeatsRepetition(pattern)) {
    throw new Error(`The pattern ${pattern} repeats a repetition, which can take exponential time; write it without`);
  }
  return compiled;
}

const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|[*+?]\??|\{\d+(?:,\d*)?\}\??|[()]|[^]/gsu;
const UNBOUNDED = /^(?:[*+]|\{\d+,\})/;

/** Reads a valid pattern token by token and looks for an unbounded quantifier on a group that holds one. */
function repeatsRepetition(pattern: string): boolean {
  const open: boolean[] = [false];
  let closed = false;
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (token === '(') open.push(false);
    else if (UNBOUNDED.test(token)) {
      if (closed) return true;
      open[open.length - 1] = true;
    }
    closed = token === ')' && (open.pop() ?? false);
    if (closed) open[open.length - 1] = true;
  }
  return false;
}
