import { ProblemError } from './problem-error.js';

/** `metadata[key]`, as OpenAPI writes the parameters of an object (`deepObject`). */
const DEEP = /^metadata\[(.+)\]$/s;

/**
 * A query with each `metadata[key]` under its other name, `metadata.key`. Generated clients send the first name.
 * @throws ProblemError for both names of a key, and for a key below a key
 */
export function withDottedMetadata(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const named = new Map<string, unknown>();
  for (const [name, value] of Object.entries(query)) {
    const [, key] = DEEP.exec(name) ?? [];
    if (key?.includes(']['))
      refuse(`${name.slice(0, 80)} has a key below a key; metadata are found by their top level`);
    const dotted = key === undefined ? name : `metadata.${key}`;
    if (named.has(dotted)) refuse(`${dotted.slice(0, 80)} may be given once`);
    named.set(dotted, value);
  }
  return Object.fromEntries(named);
}

function refuse(message: string): never {
  throw new ProblemError('invalid_request', message);
}
