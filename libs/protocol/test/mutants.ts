/** A token in single braces is data. A token in double braces is a template. */
function isData(token: string): boolean {
  return /^\{(?!\{)[^{}]*\}$/.test(token);
}

/** A value or a part of one. Dropping or moving it gives another valid block. */
function isValue(token: string): boolean {
  return token.startsWith('{') || token.startsWith(']]]]');
}

/** Drops, doubles or swaps whole tokens. */
function* tokenMutants(tokens: string[]): Generator<string[]> {
  for (const [i, token] of tokens.entries()) {
    const next = tokens[i + 1];
    if (!isValue(token)) {
      yield tokens.toSpliced(i, 1);
      yield tokens.toSpliced(i, 0, token);
    }
    const isWithin = next === undefined || (isValue(token) && isValue(next));
    if (!isWithin && next !== token) yield tokens.toSpliced(i, 2, next, token);
  }
}

/** Drops, doubles or swaps single characters, changes their case or width, or inserts a blank. */
function* characterMutants(tokens: string[]): Generator<string[]> {
  for (const [i, token] of tokens.entries()) {
    if (isData(token)) continue;
    for (const [at, char] of Array.from(token).entries()) {
      const chars = Array.from(token);
      const wide = /[!-~]/.test(char) ? String.fromCharCode(char.charCodeAt(0) + 0xfee0) : char;
      const flipped = char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase();
      const mutants = [
        chars.toSpliced(at, 1),
        chars.toSpliced(at, 0, char),
        chars.toSpliced(at, 1, wide),
        chars.toSpliced(at, 1, flipped),
        ...(at > 0 ? [chars.toSpliced(at, 0, ' ')] : []),
        ...(at + 1 < chars.length ? [chars.toSpliced(at, 2, chars[at + 1]!, char)] : []),
      ];
      for (const mutant of new Set(mutants.map((one) => one.join(''))))
        if (mutant !== token) yield tokens.toSpliced(i, 1, mutant);
    }
  }
}

/** Adds attributes to start tags, as an author of HTML may write them. */
function* attributeMutants(tokens: string[]): Generator<string[]> {
  for (const [i, token] of tokens.entries()) {
    const tag = /^<([a-z_]+)((?: [^>]*)?)>$/i.exec(token);
    if (!tag) continue;
    const [, name, attributes] = tag;
    for (const given of [
      'value="v"',
      'path="v"',
      'content="v"',
      'x="1"',
      'note="v"',
      'value',
      'value="v" value="w"',
      '"v"',
    ]) {
      yield tokens.toSpliced(i, 1, `<${name}${attributes} ${given}>`);
      const end = tokens.indexOf(`</${name}>`, i);
      if (end !== -1) yield tokens.toSpliced(i, end - i + 1, `<${name}${attributes} ${given}/>`);
    }
  }
}

/** The text of a block. */
export function textOf(tokens: string[]): string {
  return tokens.map((token) => (isData(token) ? token.slice(1, -1) : token)).join('');
}

/** The ways to change a block, by name. */
export const KINDS = { tokenMutants, characterMutants, attributeMutants };
