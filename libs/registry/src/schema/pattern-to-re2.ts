/** A token of a JavaScript pattern (flag `u`): an escape, the start of a group, or a character. */
const TOKEN =
  /\\u[dD][89abAB][\dA-Fa-f]{2}\\u[dD][c-fC-F][\dA-Fa-f]{2}|\\u\{[\dA-Fa-f]+\}|\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}|\\c[A-Za-z]|\\[pP]\{[^}]*\}|\\[^]|\(\?<[^=!>]+>|\[\^?\]?|[^]/gu;

/** Escapes with the same meaning in both. */
const SHARED = /^\\(?:[dDwWnrtvf^$\\.*+?()[\]{}|/-]|x[\dA-Fa-f]{2}|[pP]\{[A-Z][a-z]?\})$/;

/**
 * Converts a JavaScript pattern (flag `u`) to RE2 with the same meaning: `.` stops at each line end, and `\s` and
 * properties such as `\p{Letter}` are those of Unicode. Look-around and back-references stay as they are.
 */
export function patternToRe2(pattern: string): string {
  let inClass = false;
  let text = '';
  for (const [token] of pattern.matchAll(TOKEN)) {
    text += inClass ? inside(token) : outside(token);
    const closes = token.endsWith(']') && !token.startsWith('\\');
    inClass = !closes && (inClass || token.startsWith('['));
  }
  return text;
}

function outside(token: string): string {
  if (token === '[]') return '[^\\x00-\\x{10FFFF}]';
  if (token === '[^]') return '[\\x00-\\x{10FFFF}]';
  if (token === '.') return '[^\\n\\r\\x{2028}\\x{2029}]';
  if (token === '\\b' || token === '\\B') return token;
  if (token.startsWith('(?<')) return '(';
  return token.startsWith('\\') ? escape(token, (ranges) => `[${ranges}]`) : token;
}

function inside(token: string): string {
  if (token === '\\b') return '\\x08';
  if (token.startsWith('[')) return `\\${token}`;
  return token.startsWith('\\') ? escape(token, (ranges) => ranges) : token;
}

function escape(token: string, asClass: (ranges: string) => string): string {
  if (SHARED.test(token)) return token;
  if (/^\\[sSpP]/.test(token)) return asClass(rangesOf(token));
  if (token.startsWith('\\c')) return code(token.charCodeAt(2) % 32);
  if (token === '\\0') return code(0);
  const units = [...token.matchAll(/\\u\{?([\dA-Fa-f]+)/g)].map(([, hex = '']) => Number.parseInt(hex, 16));
  const [unit] = units;
  if (units.length === 2) return codeOf(String.fromCharCode(...units));
  return unit !== undefined && units.length === 1 ? code(unit) : token;
}

/** The ranges of white space, by far the most frequent class, and of its complement. */
const known = new Map([
  ['\\s', '\\t-\\r\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'],
  [
    '\\S',
    '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}',
  ],
]);
let everything: string | undefined;

/** The characters of a JavaScript escape, as ranges of a class. A new one takes a few milliseconds. */
function rangesOf(token: string): string {
  const before = known.get(token);
  if (before !== undefined) return before;
  everything ??= allCharacters();
  const ranges = [...everything.matchAll(new RegExp(`${token}+`, 'gu'))].map(([run]) => {
    const last = run.length > 1 && /[\uDC00-\uDFFF]$/.test(run) ? run.slice(-2) : run.slice(-1);
    return `${codeOf(run)}-${codeOf(last)}`;
  });
  known.set(token, ranges.join(''));
  return ranges.join('');
}

/** All Unicode characters in order, without surrogates. */
function allCharacters(): string {
  const block = (start: number) =>
    String.fromCodePoint(...Array.from({ length: 2048 }, (_item, index) => start + index));
  const starts = Array.from({ length: 0x110000 / 2048 }, (_item, index) => index * 2048);
  return starts
    .filter((start) => start !== 0xd800)
    .map(block)
    .join('');
}

/** The first character of a text as a code. */
function codeOf(text: string): string {
  return code(text.codePointAt(0) ?? 0);
}

function code(point: number): string {
  return `\\x{${point.toString(16)}}`;
}
