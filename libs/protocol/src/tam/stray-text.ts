import type { Findings } from '../parse-result.js';
import type { Stretch } from './read-block.js';

const SEPARATORS = /[\n,，;；]+/;
/** `name: …` or `name=…`, also with quotes, bullets or asterisks around the name. */
const ASSIGNMENT = /^[\s"'`*>•-]*([\p{L}_][\p{L}\p{M}\p{N}_]*)["'`*]*\s*[:：=]\s*(.*)$/u;
/** The same for declared names anywhere in a line, and as tags. */
const LATER_ASSIGNMENT =
  /(?<![\p{L}\p{N}_])([\p{L}_][\p{L}\p{M}\p{N}_]*)["'`*]*[ \t]{0,8}[:：=](?!\/\/)|<([\p{L}_][\p{L}\p{M}\p{N}_]*)>/gu;

/**
 * Checks text between the fields. It is ignored with a warning, unless it looks like a value that lost its marks.
 * Without that value the call would run with something other than what was meant.
 */
export function checkStrayText(
  text: string,
  stretch: Stretch,
  isKnown: (name: string) => boolean,
  findings: Findings,
): void {
  let offset = stretch.start;
  for (const line of text.slice(stretch.start, stretch.end).split('\n')) {
    const lost = lostName(line, isKnown);
    if (lost !== undefined) {
      const at = offset + Math.max(0, line.indexOf(lost));
      findings.error(
        'malformed_tam',
        at,
        `'${lost}' has a value without marks; write it with an opening and a closing mark`,
      );
    }
    offset += line.length + 1;
  }
  const stray = text.slice(stretch.start, stretch.end);
  if (stretch.beforeField && isInNote(stray)) {
    findings.error('malformed_tam', stretch.end, 'This field is in a note or behind one; put it on a line of its own');
  }
  const shown = stray.trim().slice(0, 40);
  findings.warn(stretch.start + stray.indexOf(shown), `The text '${shown}' between the fields is ignored`);
}

/** Whether a note continues at the end of this text: behind `//` or `#`, in an open comment or `<think>`. */
function isInNote(stray: string): boolean {
  return (
    /(?:^|[\s,，;；])(?:\/\/|#)[^\n]*$/.test(stray) ||
    stray.lastIndexOf('<!--') > stray.lastIndexOf('-->') ||
    stray.lastIndexOf('<think>') > stray.lastIndexOf('</think>')
  );
}

/** The name in a line that seems to have a value. A `//` note does not count. */
function lostName(line: string, isKnown: (name: string) => boolean): string | undefined {
  const code = line.split(/(?<=^|[\s,，;；])\/\//, 1)[0] ?? '';
  for (const piece of code.split(SEPARATORS)) {
    const [, name, value = ''] = ASSIGNMENT.exec(piece) ?? [];
    if (name !== undefined && !value.startsWith('//') && (value !== '' || isKnown(name))) return name;
  }
  for (const { 1: name, 2: tag = '' } of code.matchAll(LATER_ASSIGNMENT)) if (isKnown(name ?? tag)) return name ?? tag;
  return undefined;
}
