import { skipBlanks } from '../blanks.js';
import { decodeReferences } from './decode-references.js';
import { isText, type Element, type MarkupPiece } from './element.js';

/**
 * The text of an element without its children: CDATA without the line breaks next to its delimiters, other text trimmed at
 * its ends and decoded.
 */
export function joinTexts(text: string, element: Element): string {
  const { parts } = element;
  if (parts.length === 0) return decodeReferences(text.slice(element.inner, element.innerEnd).trim());
  const [only] = parts;
  if (parts.length === 1 && only?.kind === 'cdata' && element.hasBlankTexts(text))
    return withoutLastBreak(withoutFirstBreak(only.text ?? ''));
  return joinPieces(text, element.content.filter(isText));
}

function joinPieces(text: string, all: readonly MarkupPiece[]): string {
  const isLayout = ({ kind, start, end }: MarkupPiece) => kind === 'text' && skipBlanks(text, start, end) === end;
  const from = all.findIndex((piece) => !isLayout(piece));
  const pieces = from === -1 ? [] : all.slice(from, all.findLastIndex((piece) => !isLayout(piece)) + 1);
  let joined = '';
  for (const piece of pieces) joined += textOf(text, piece, all);
  if (pieces[0]?.kind === 'cdata') joined = withoutFirstBreak(joined);
  if (pieces.at(-1)?.kind === 'cdata') joined = withoutLastBreak(joined);
  return joined;
}

/** Trims a text at the ends of the element before references are decoded, so that `&#10;` stays. */
function textOf(text: string, piece: MarkupPiece, all: readonly MarkupPiece[]): string {
  if (piece.text !== undefined) return piece.text;
  let raw = text.slice(piece.start, piece.end);
  if (piece === all[0]) raw = raw.trimStart();
  if (piece === all.at(-1)) raw = raw.trimEnd();
  return decodeReferences(raw);
}

const LINE_FEED = 0x0a;

function withoutFirstBreak(text: string): string {
  if (text.charCodeAt(0) === LINE_FEED) return text.slice(1);
  return text.startsWith('\r\n') ? text.slice(2) : text;
}

/** Removes one line break at the end, with the indentation of the delimiter behind it. */
function withoutLastBreak(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  if (text.charCodeAt(end - 1) !== LINE_FEED) return text;
  return text.slice(0, text[end - 2] === '\r' ? end - 2 : end - 1);
}
