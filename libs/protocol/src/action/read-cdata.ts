import { didYouMean } from '@errand/contracts';
import { skipBlanks } from '../blanks.js';
import { isLetter, LESS, MarkupError, SLASH } from './markup.js';

const OPENER = '<![CDATA[';
const CLOSER = ']]>';
/** A closing mark inside CDATA: the section ends between the brackets, and the next section continues. */
const ESCAPED_CLOSER = `]]${CLOSER}${OPENER}>`;

const WAY_OUT = `Write ${CLOSER} inside CDATA as ${ESCAPED_CLOSER}`;

/** A CDATA section: the offset behind it, its text, and its opener if that is misspelt. */
interface CdataSection {
  end: number;
  text: string;
  misspelt: string | undefined;
}

/** Brackets typed in place of `[`. */
const BRACKET = '[[［{｛(（【]';
const HOLDS_BRACKET = new RegExp(BRACKET, 'u');
const ENDS_WITH_BRACKET = new RegExp(`${BRACKET}$`, 'u');
const LETTERS = '[cｃ][\\s_-]?[dｄ][\\s_-]?[aａ][\\s_-]?[tｔ][\\s_-]?[aａ]';
/** Openers with all letters of CDATA and at least one of the other characters. */
const SPELT = new RegExp(
  `[<＜](?=[^\\p{L}]{0,6}[!！?？]|[^\\p{L}]{0,6}${BRACKET}|${LETTERS}[\\s\\\\]{0,3}${BRACKET})[\\s!！?？\\\\[［{｛(（【]{0,6}${LETTERS}[\\s\\\\]{0,3}${BRACKET}?|<!--\\s{0,3}${BRACKET}${LETTERS}${BRACKET}`,
  'iuy',
);
/** Openers with a possibly misspelt word in place of CDATA. */
const WORDED = new RegExp(`<\\s{0,3}[!！?？][\\s\\\\[［{｛(（【]{0,4}(\\p{L}{3,8})[\\s\\\\]{0,3}${BRACKET}?`, 'iuy');
/** Openers that lost their `<`; only at the beginning of a value. */
const HEADLESS = new RegExp(
  `(?:[!！]\\s{0,3}\\\\?${BRACKET}?|${BRACKET})\\s{0,3}${LETTERS}[\\s\\\\]{0,3}${BRACKET}`,
  'iuy',
);

/** How every opener begins. Most tags and texts begin otherwise, and need no closer look. */
const BEGIN = /<[^/abd-z]|[＜!！[［{｛(（【]/iuy;

const BRACKETS_AND_MARK = '![{(';
const [CAPITAL_C, SMALL_C] = [0x43, 0x63];

/** The opener of a CDATA section at this offset. `isSound`: only its spelling is wrong. */
export interface CdataOpener {
  written: string;
  isSound: boolean;
}

const SPELT_OPENER: CdataOpener = { written: OPENER, isSound: true };

/** Returns the CDATA opener at this offset, also a misspelt one. `atStart`: a value's text begins at the offset. */
export function cdataOpenerAt(text: string, at: number, atStart: boolean): CdataOpener | undefined {
  if (!mayBeginAt(text, at)) return undefined;
  if (text.startsWith(OPENER, at)) return SPELT_OPENER;
  const match = matchAt(SPELT, text, at) ?? wordedAt(text, at) ?? (atStart ? matchAt(HEADLESS, text, at) : undefined);
  return match && { written: match[0], isSound: ENDS_WITH_BRACKET.test(match[0]) };
}

/** Whether `BEGIN` matches. Only a character beyond ASCII needs the expression. */
function mayBeginAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  const deciding = code === LESS ? text.charCodeAt(at + 1) : code;
  if (!(deciding < 0x80)) return matchAt(BEGIN, text, at) !== undefined;
  if (code !== LESS) return BRACKETS_AND_MARK.includes(text.charAt(at));
  return deciding !== SLASH && (!isLetter(deciding) || deciding === CAPITAL_C || deciding === SMALL_C);
}

function wordedAt(text: string, at: number): RegExpExecArray | undefined {
  const match = matchAt(WORDED, text, at);
  if (!match || !HOLDS_BRACKET.test(match[0])) return undefined;
  return didYouMean(match[1] ?? '', ['CDATA']) === undefined ? undefined : match;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Whether a text contains a CDATA opener, also a misspelt one. */
export function holdsCdata(text: string): boolean {
  const start = text.length - text.trimStart().length;
  if (cdataOpenerAt(text, start, true)) return true;
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1))
    if (cdataOpenerAt(text, at, false)) return true;
  return false;
}

/**
 * Reads the CDATA section at `at` in the element `name`. A nested section must be balanced, and a misspelt opener must
 * leave one reading.
 * @throws MarkupError, final if several readings are possible
 */
export function readCdata(text: string, at: number, to: number, name: string, opener: CdataOpener): CdataSection {
  return opener.written === OPENER ? readSpelt(text, at, to, name) : readMisspelt(text, at, to, name, opener);
}

/** Repairs a misspelt opener if the first `]]>` is right before the end tag. */
function readMisspelt(text: string, at: number, to: number, name: string, opener: CdataOpener): CdataSection {
  const { written, isSound } = opener;
  const begin = at + written.length;
  const close = text.indexOf(CLOSER, begin);
  const isWhole = close !== -1 && close < to && endTagFollows(text, close + CLOSER.length, name);
  if (isSound && isWhole && !holdsCdata(text.slice(begin, close))) {
    return { end: close + CLOSER.length, text: text.slice(begin, close), misspelt: onOneLine(written) };
  }
  throw new MarkupError(
    at,
    `'${onOneLine(written)}' looks like a misspelt '${OPENER}'; write ${OPENER}…${CLOSER}`,
    true,
  );
}

function onOneLine(opener: string): string {
  return opener.replace(/\s+/g, ' ');
}

/**
 * The section ends at the first `]]>`, unless another one begins before it. The inner section has its own end: an
 * escaped `]]>`, or a plain one if only one balanced reading is left.
 */
function readSpelt(text: string, at: number, to: number, name: string): CdataSection {
  const start = at + OPENER.length;
  const close = text.indexOf(CLOSER, start);
  const whole = close === -1 || close + CLOSER.length > to ? OPENER : text.slice(start, close);
  // Most sections hold no other.
  return whole.includes(OPENER)
    ? readNested(text, at, to, name)
    : { end: close + CLOSER.length, text: whole, misspelt: undefined };
}

function readNested(text: string, at: number, to: number, name: string): CdataSection {
  const token = /<!\[CDATA\[|\]\]>/g;
  token.lastIndex = at + OPENER.length;
  let begin = token.lastIndex;
  let joined = '';
  let depth = 0;
  let inner: number | undefined;
  let early: number | undefined;
  for (let match = token.exec(text); match && token.lastIndex <= to; match = token.exec(text)) {
    if (match[0] === OPENER) {
      depth++;
      inner ??= match.index;
    } else if (depth === 0) {
      const section = { end: token.lastIndex, text: joined + text.slice(begin, match.index), misspelt: undefined };
      if (early !== undefined && !isBalancedOnly(text, section, early, name)) throw nestedError(inner ?? at);
      return section;
    } else if (text.startsWith(ESCAPED_CLOSER, match.index - 2)) {
      depth--;
      joined += text.slice(begin, match.index);
      begin = token.lastIndex = token.lastIndex + OPENER.length;
    } else {
      depth--;
      early ??= token.lastIndex;
    }
  }
  if (inner !== undefined) throw nestedError(inner);
  throw new MarkupError(at, `A CDATA section is not closed with ${CLOSER}`);
}

/**
 * Whether the balanced reading is the only one. The element must end right behind it and nowhere before. A section that
 * contains only another section does not count: it may have one opener and one closer too many.
 */
function isBalancedOnly(text: string, section: CdataSection, early: number, name: string): boolean {
  if (!endTagFollows(text, section.end, name) || endTagFollows(text, early, name)) return false;
  const value = section.text.trim();
  return !value.includes(`</${name}`) && !(value.startsWith(OPENER) && value.endsWith(CLOSER));
}

function nestedError(at: number): MarkupError {
  return new MarkupError(at, `A CDATA section begins inside another one. ${WAY_OUT}`, true);
}

/** Whether only blanks separate an offset from the end tag of an element. */
function endTagFollows(text: string, from: number, name: string): boolean {
  const at = skipBlanks(text, from, text.length);
  if (name === '' || !text.startsWith(`</${name}`, at)) return false;
  return text[skipBlanks(text, at + `</${name}`.length, text.length)] === '>';
}

/** The message for text behind the end of a CDATA section. */
export const ENDED_EARLY = `the CDATA section ends at this ${CLOSER}, and more text follows. ${WAY_OUT}`;
