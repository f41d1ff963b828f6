import { UNSEEN_CHARACTER } from './unseen-characters.js';

/** A part of a shown text: plain characters, or a mark in place of a character that would be invisible or change others. */
export type TextPiece = string | { mark: string; name: string };

/** The most characters that a cell, line or title shows. */
export const SHOWN_CHARACTERS = 2_000;

/** CSI, OSC and other ANSI sequences, also of C1 controls. An unfinished one ends with the line. */
const ANSI =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|(?:\u001B[\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0007\u001B\u009C\n]*(?:\u0007|\u001B\\|\u009C)?|\u001B[ -/]*[0-Z\\^-~]?/g;

/** Controls except tab and line feed, halves of surrogate pairs, and characters that one does not see. */
const MARKED = new RegExp(
  String.raw`[\u0000-\u0008\u000B-\u001F\u007F-\u009F\p{Surrogate}]|${UNSEEN_CHARACTER.source}`,
  'gu',
);

const NAMES: Readonly<Record<string, string>> = {
  '\r': 'CR',
  '\u001B': 'ESC',
  '\u0000': 'NUL',
  '\u007F': 'DEL',
  '\u00AD': 'soft hyphen',
  '\u034F': 'combining grapheme joiner',
  '\u200B': 'zero-width space',
  '\u200C': 'zero-width non-joiner',
  '\u200D': 'zero-width joiner',
  '\u200E': 'left-to-right mark',
  '\u200F': 'right-to-left mark',
  '\u202A': 'left-to-right embedding',
  '\u202B': 'right-to-left embedding',
  '\u202C': 'end of direction',
  '\u202D': 'left-to-right override',
  '\u202E': 'right-to-left override',
  '\u2060': 'word joiner',
  '\u2066': 'left-to-right isolate',
  '\u2067': 'right-to-left isolate',
  '\u2068': 'first-strong isolate',
  '\u2069': 'end of isolate',
  '\u3164': 'Hangul filler',
  '\uFE0F': 'selector of the look of an emoji',
  '\uFEFF': 'byte order mark',
};

/** A text without ANSI sequences. */
export function withoutAnsi(text: string): string {
  return text.replaceAll(ANSI, '');
}

/**
 * The pieces of a hostile text that can be shown: ANSI sequences are gone, and each character that is invisible, that controls or that
 * changes the direction of others is a mark. A lone half of a surrogate pair becomes `�`. The parts of an emoji stay.
 */
export function markText(text: string): TextPiece[] {
  const clean = withoutAnsi(text);
  const pieces: TextPiece[] = [];
  let plain = '';
  let from = 0;
  for (const { 0: found, index } of clean.matchAll(MARKED)) {
    plain += clean.slice(from, index);
    from = index + found.length;
    const shown = showCharacter(found);
    if (typeof shown === 'string') plain += shown;
    else {
      if (plain !== '') pieces.push(plain);
      plain = '';
      pieces.push(shown);
    }
  }
  plain += clean.slice(from);
  if (plain !== '') pieces.push(plain);
  return pieces;
}

/** The pieces with at most `most` marks of their own. Later marks become a part of the text, as characters. */
export function fewPieces(pieces: readonly TextPiece[], most: number): TextPiece[] {
  let left = most;
  const end = pieces.findIndex((piece) => typeof piece !== 'string' && left-- === 0);
  if (end === -1) return [...pieces];
  const rest = pieces.slice(end).map((piece) => (typeof piece === 'string' ? piece : piece.mark));
  return [...pieces.slice(0, end), rest.join('')];
}

/** A text in one string, for attributes such as `title` and `aria-label`. Marks are written as `⟨U+202E⟩`. */
export function markedString(text: string): string {
  return markText(text)
    .map((piece) => (typeof piece === 'string' ? piece : piece.mark))
    .join('');
}

function showCharacter(found: string): TextPiece {
  if (/^[\uD800-\uDFFF]$/.test(found)) return '\uFFFD';
  const code = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  const name = Object.hasOwn(NAMES, found) ? NAMES[found] : undefined;
  return { mark: `⟨${name === undefined || name.length > 3 ? code : name}⟩`, name: name ?? code };
}

/** The beginning of a text of at most `limit` characters, never half of a surrogate pair. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}
