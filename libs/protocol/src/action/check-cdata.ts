import type { Findings } from '../parse-result.js';
import { isText, type Element, type MarkupPiece } from './markup.js';
import { ENDED_EARLY } from './read-cdata.js';

/** An element in its text, and where to report what is wrong with it. */
interface Read {
  text: string;
  element: Element;
  findings: Findings;
}

/**
 * Text behind CDATA is a sign that the section ended too early, a closing mark before it that another one did: the value would
 * lose characters. What was repaired in CDATA is a warning.
 */
export function checkCdata(read: Read): void {
  const { text, element, findings } = read;
  const hasMarkup = element.content.some(({ kind }) => kind === 'element' || kind === 'instruction');
  const first = element.content.find(({ kind }) => kind === 'cdata');
  if (!first || hasMarkup) return;
  let last = first;
  for (const part of element.content) {
    if (part.kind === 'cdata') last = part;
    if (part.kind !== 'text') continue;
    const isBehind = part.start >= first.end;
    const piece = text.slice(part.start, part.end);
    if (isBehind ? piece.trim() === '' : !piece.includes(']]>')) continue;
    const at = isBehind ? last.end - ']]>'.length : part.start;
    findings.error('malformed_xml', at, `In <${element.name}>, ${ENDED_EARLY}`);
    return;
  }
  warnOfRepairs(read);
  checkJunctions(read);
}

function warnOfRepairs({ element, findings }: Read): void {
  for (const part of element.content) {
    if (part.kind !== 'cdata') continue;
    if (part.misspelt !== undefined)
      findings.warn(part.start, `'${part.misspelt}' is read as '<![CDATA['; write exactly <![CDATA[`);
    else if (/\[CDATA\[/i.test(part.text ?? ''))
      findings.warn(part.start, `The CDATA section inside the CDATA of <${element.name}> is kept as text`);
  }
}

/** Two sections in a row may be a `]]>` that was split in the wrong place. */
function checkJunctions({ element, findings }: Read): void {
  const sections = element.content.filter(isText).filter(({ kind }) => kind === 'cdata');
  const isWrong = sections.slice(1).some(({ text: right = '', start }, index) => {
    const { text: left = '', end } = sections[index]!;
    const [ends, begins] = [left.endsWith(']]'), right.startsWith('>')];
    const isLonger = right.startsWith('>>') || (left.endsWith(']]]') && !isBalanced(left));
    return ends !== begins || (ends && (end !== start || isLonger));
  });
  if (!isWrong) return;
  const message = `The CDATA sections of <${element.name}> are joined; ]]> in them is written as ]]]]><![CDATA[>`;
  findings.warn(element.start, message);
}

/** Warns of characters of a string that may belong to its tags or to its delimiters. */
export function checkVerbatim(read: Read, value: string): void {
  const { element, findings } = read;
  const signs = [...endInside(value, element.name), ...doubledMarks(read, value)];
  if (signs.length > 0) findings.warn(element.start, `The value of <${element.name}> ${signs.join(' and ')}`);
  if (element.content.some(({ kind }) => kind === 'cdata')) return;
  for (const { kind, start, end } of element.content) {
    const at = kind === 'text' ? read.text.slice(start, end).indexOf(']]>') : -1;
    if (at !== -1) findings.warn(start + at, `']]>' inside <${element.name}> is read as text`);
  }
}

/** The end tag of the element itself, and then its start tag: perhaps CDATA that was never closed. */
function endInside(value: string, name: string): string[] {
  const [end, start] = [value.indexOf(`</${name}`), value.indexOf(`<${name}`)];
  return end === -1 || start < end ? [] : [`runs past </${name}>; close its CDATA with ]]> before, if it ends there`];
}

/** A character of a delimiter that is there twice is the first or last of the value. */
function doubledMarks({ text, element }: Read, value: string): string[] {
  const pieces = element.content.filter(isText);
  const [first, last] = [pieces[0], pieces.at(-1)];
  return [
    ...(isPlain(first) && text[first.start] === '>' ? ["begins with '>'; is it one too many?"] : []),
    ...(isPlain(last) && text[last.end - 1] === '<' ? ["ends with '<'; is it one too many?"] : []),
    ...(first !== last && isPlain(first) && text[first.end - 1] === '<' ? ["holds '<' before its CDATA"] : []),
    ...(first?.kind === 'cdata' && last?.kind === 'cdata' ? strayBracket(value) : []),
  ];
}

function isPlain(piece: MarkupPiece | undefined): piece is MarkupPiece {
  return piece?.kind === 'text';
}

/** `[` or `]` at a border of CDATA is a part of the value; where it has no partner it may be one of the delimiter. */
function strayBracket(value: string): string[] {
  const border = value.startsWith('[') ? "begins with '['" : value.endsWith(']') ? "ends with ']'" : undefined;
  return border === undefined || isBalanced(value) ? [] : [`${border}, which has no partner; is it one too many?`];
}

function isBalanced(text: string): boolean {
  return text.split('[').length === text.split(']').length;
}
