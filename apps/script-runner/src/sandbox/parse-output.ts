import { isDeeperThan, MAX_DEPTH, ToolError, type Json } from '@errand/contracts';

const SHOWN = 200;

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
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `The script's stdout is not one JSON value (${why}); print the result alone to stdout and everything else to stderr`;
    throw new ToolError('OutputError', message, { stdout: text.slice(0, SHOWN) }, { cause });
  }
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
