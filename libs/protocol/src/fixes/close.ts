import { DIALECT_NAMES, DIALECTS } from '../tam/dialects.js';
import type { TextEdit } from './text-edit.js';

const UNCLOSED = /^<([^\s<>]{1,200})> is not closed before <\/([^\s<>]{1,200})>/;
const ENDS_BEFORE = /^The text ends before (\S{1,40});/;
const TAG = /<(\/?)([^\s<>/!?][^\s<>/]{0,200})([^<>]*)>/g;
const MOST_OPEN = 50;

/** Edits that close what an error says is open. @param at the offset of the error */
export function* closersAt(text: string, at: number, message: string): Generator<TextEdit> {
  const [, open, closer] = UNCLOSED.exec(message) ?? [];
  if (open !== undefined && closer !== undefined) yield* closedElements(text, at, open, closer);
  const [, end] = ENDS_BEFORE.exec(message) ?? [];
  if (end !== undefined) yield* closedBlocks(text, at, end);
  if (message.includes('is not closed. Close each value')) yield* closedValues(text, at);
}

/** The end tag is misspelt, or it is missing. */
function* closedElements(text: string, at: number, open: string, closer: string): Generator<TextEdit> {
  const tag = `</${closer}`;
  for (let start = text.indexOf(tag, at); start !== -1; start = text.indexOf(tag, start + 1)) {
    yield { start: start + 2, end: start + tag.length, text: open };
    yield { start, end: start, text: `</${open}>` };
  }
}

/** Closes the elements that are open at the end of the text, and the block. */
function* closedBlocks(text: string, at: number, end: string): Generator<TextEdit> {
  const written = text.trimEnd().length;
  const lead = /\n\s*$/.test(text) || text.slice(at).includes('\n') ? '\n' : '';
  yield { start: written, end: text.length, text: lead + end };
  if (!end.startsWith('</')) {
    for (const name of DIALECT_NAMES)
      yield { start: written, end: text.length, text: `${DIALECTS[name].close}${lead}${end}` };
    return;
  }
  const tags = openTags(text.slice(at));
  if (tags.length > 0)
    yield {
      start: written,
      end: text.length,
      text: tags
        .toReversed()
        .map((tag) => `</${tag}>`)
        .join(''),
    };
}

function openTags(block: string): string[] {
  const open: string[] = [];
  for (const [, slash, name = '', rest = ''] of block.matchAll(TAG)) {
    if (slash === '/') {
      const known = open.lastIndexOf(name);
      if (known !== -1) open.length = known;
    } else if (!rest.endsWith('/') && open.length < MOST_OPEN) open.push(name);
  }
  return open;
}

/** A value of TAM without its end mark: it ends at the end of its line. */
function* closedValues(text: string, at: number): Generator<TextEdit> {
  for (const name of DIALECT_NAMES) {
    for (let end = text.indexOf('\n', at); end !== -1; end = text.indexOf('\n', end + 1)) {
      const last = text.slice(0, end).trimEnd().length;
      const comma = text[last - 1] === ',' ? last - 1 : last;
      yield { start: comma, end: comma, text: DIALECTS[name].close };
    }
  }
}
