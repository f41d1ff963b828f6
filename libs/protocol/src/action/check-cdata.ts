import type { Findings } from '../parse-result.js';
import { isText, type Element, type MarkupPiece } from './element.js';
import { ENDED_EARLY } from './read-cdata.js';

/** An element in its text, and the list for its problems. */
interface Read {
  text: string;
  element: Element;
  findings: Findings;
}

/**
 * Text behind CDATA suggests that the section ended too early. A closing mark before it suggests the same of another
 * section. The value would lose characters, so both are errors. Repairs of CDATA are warnings.
 */
export function checkCdata(read: Read): void {
  const { text, element, findings } = read;
  const first = element.parts.find(({ kind }) => kind === 'cdata');
  if (!first || element.hasMarkup) return;
  if (element.parts.length === 1 && element.hasBlankTexts(text)) {
    warnOfRepairs(read);
    return;
  }
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
  for (const part of element.parts) {
    if (part.kind !== 'cdata') continue;
    if (part.misspelt !== undefined)
      findings.warn(part.start, `'${part.misspelt}' is read as '<![CDATA['; write exactly <![CDATA[`);
    else if (part.text?.includes('[') && /\[CDATA\[/i.test(part.text))
      findings.warn(part.start, `The CDATA section inside the CDATA of <${element.name}> is kept as text`);
  }
}

/** Warns of adjacent sections that may be a `]]>` split at the wrong position. */
function checkJunctions({ element, findings }: Read): void {
  const sections = element.content.filter(isText).filter(({ kind }) => kind === 'cdata');
  const isWrong = sections.some(({ text: left = '', end }, index) => {
    const next = sections[index + 1];
    if (!next) return false;
    const { text: right = '', start } = next;
    const [ends, begins] = [left.endsWith(']]'), right.startsWith('>')];
    const isLonger = right.startsWith('>>') || (left.endsWith(']]]') && !isBalanced(left));
    return ends !== begins || (ends && (end !== start || isLonger));
  });
  if (!isWrong) return;
  const message = `The CDATA sections of <${element.name}> are joined; ]]> in them is written as ]]]]><![CDATA[>`;
  findings.warn(element.start, message);
}

/** Warns of characters of a string that may belong to its tags or delimiters. */
export function checkVerbatim(read: Read, value: string): void {
  if (!mayHaveSigns(read, value)) return;
  const { element, findings } = read;
  const signs = [...endInside(value, element.name), ...doubledMarks(read, value)];
  if (signs.length > 0) findings.warn(element.start, `The value of <${element.name}> ${signs.join(' and ')}`);
  if (element.parts.some(({ kind }) => kind === 'cdata')) return;
  for (const { kind, start, end } of element.content) {
    const at = kind === 'text' ? read.text.slice(start, end).indexOf(']]>') : -1;
    if (at !== -1) findings.warn(start + at, `']]>' inside <${element.name}> is read as text`);
  }
}

/** Whether a value may have one of the signs. Most values have none, and are not compared with their names and pieces. */
function mayHaveSigns({ text, element }: Read, value: string): boolean {
  const { parts, inner, innerEnd } = element;
  if (value.includes('</')) return true;
  if (parts.length === 0) return text[inner] === '>' || text[innerEnd - 1] === '<' || value.includes(']]>');
  const isSimple = parts.length === 1 && parts[0]?.kind === 'cdata' && element.hasBlankTexts(text);
  return !isSimple || value.startsWith('[') || value.endsWith(']');
}

/** Finds the end tag of the element followed by its start tag: CDATA that was perhaps never closed. */
function endInside(value: string, name: string): string[] {
  const [end, start] = [value.indexOf(`</${name}`), value.indexOf(`<${name}`)];
  return end === -1 || start < end ? [] : [`runs past </${name}>; close its CDATA with ]]> before, if it ends there`];
}

/** Finds delimiter characters that are doubled at the ends of the value. */
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

/** Finds `[` or `]` at a border of CDATA without a partner. It may belong to the delimiter. */
function strayBracket(value: string): string[] {
  const border = value.startsWith('[') ? "begins with '['" : value.endsWith(']') ? "ends with ']'" : undefined;
  return border === undefined || isBalanced(value) ? [] : [`${border}, which has no partner; is it one too many?`];
}

function isBalanced(text: string): boolean {
  return text.split('[').length === text.split(']').length;
}
