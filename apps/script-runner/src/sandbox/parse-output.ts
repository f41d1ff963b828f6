import { isDeeperThan, MAX_DEPTH, ToolError, type Json } from '@errand/contracts';

const SHOWN = 200;
/** What `JSON.parse` says where it meets numbers that only other notations have. */
const NO_NUMBERS = [
  ["Unexpected token 'N'", 'NaN'],
  ["Unexpected token 'I'", 'Infinity'],
  ['No number after minus sign', '-Infinity'],
] as const;
/** Where `JSON.parse` shows what it has read. */
const QUOTED = /, (?:\.{3})?".*is not valid JSON$/s;

/**
 * The one JSON value that a script has printed.
 * @throws ToolError OutputError that says what is wrong with it, and how to mend it
 */
export function parseOutput(stdout: Buffer): Json {
  const text = decode(stdout);
  if (text.trim() === '') {
    throw new ToolError(
      'OutputError',
      'The script ended well but printed nothing; print one JSON value to stdout (null for none)',
    );
  }
  const value = parse(text);
  if (isDeeperThan(value)) {
    throw new ToolError('OutputError', `The script's result nests deeper than ${MAX_DEPTH} levels; flatten it`);
  }
  if (holdsInfinity(value)) {
    throw new ToolError(
      'OutputError',
      "The script's result holds a number too large for JSON (above 1.8e308); print it as text",
    );
  }
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ToolError(
      'OutputError',
      "The script's stdout is not valid UTF-8; encode binary data, for instance in base64",
      undefined,
      { cause },
    );
  }
}

function parse(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch (cause) {
    const message = `The script's stdout is not one JSON value (${whatIsWrong(text, cause)}); print the result alone to stdout and everything else to stderr`;
    throw new ToolError('OutputError', message, { stdout: text.slice(0, SHOWN) }, { cause });
  }
}

/** In words of ours: those of `JSON.parse` name no line, and quote what was printed, cut off where it may be a secret. */
function whatIsWrong(text: string, cause: unknown): string {
  const { message } = cause instanceof Error ? cause : new Error(String(cause));
  const position = / at position (\d+)/.exec(message);
  if (position && message.startsWith('Unexpected non-whitespace character after JSON')) {
    const line = text.slice(0, Number(position[1])).split('\n').length;
    return `it is followed by something else in line ${line}`;
  }
  const number = NO_NUMBERS.find(([said, spelled]) => message.startsWith(said) && text.includes(spelled));
  if (number) return `it holds ${number[1]}, which JSON does not know; print null or a text for it`;
  return message.replace(QUOTED, '');
}

/** `JSON.parse` reads 1e999 as Infinity, which would travel on as null. The depth is bounded by now, the walk is iterative all the same. */
function holdsInfinity(value: Json): boolean {
  const rest: Json[] = [value];
  for (let item = rest.pop(); item !== undefined; item = rest.pop()) {
    if (typeof item === 'number' && !Number.isFinite(item)) return true;
    if (typeof item === 'object' && item !== null) for (const child of Object.values(item)) rest.push(child);
  }
  return false;
}
