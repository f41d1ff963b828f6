import { parse, ReadableTextFilter, type ParseOptions } from '../src/index.js';

/** A character that no corpus text has. It replaces every character of a thought. */
const MASK = '\ue000';

const mask = (section: string) => (section.startsWith('<!--') ? section : MASK.repeat(section.length));

/**
 * The text for people by its definition: `responseText` without thoughts. It knows the whole text, may be slow, and has
 * no code in common with the filter.
 */
export function readableOf(text: string, options: ParseOptions): string {
  const { protocol, responseText } = parse(text, options);
  const masked = text
    .replace(/<!--[^]*?-->|<think\s*>[^]*?<\/think\s*>/gi, mask)
    .replace(/<!--[^]*?-->|(?<=(?:^|\n)(?:[^\S\n]|\ue000)*)<think\s*>[^]*$/gi, mask);
  const start = protocol === null ? 0 : text.length - text.trimStart().length;
  return masked.slice(start, start + responseText.length).replaceAll(MASK, '');
}

/** What a filter passed for each piece, and at the end. `responseText` is that of `parse` for the whole text. */
export function filterPieces(pieces: readonly string[], responseText: string): { passed: string[]; rest: string } {
  const filter = new ReadableTextFilter();
  const passed = pieces.map((piece) => filter.push(piece));
  return { passed, rest: filter.end(pieces.join(''), responseText) };
}
