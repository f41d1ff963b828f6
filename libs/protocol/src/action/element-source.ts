import type { Findings } from '../parse-result.js';
import { isValue } from '../values/check-attributes.js';
import type { Attribute, ValueSource } from '../values/value-source.js';
import { checkCdata, checkVerbatim } from './check-cdata.js';
import { decodeReferences } from './decode-references.js';
import { isText, type Element, type MarkupPiece } from './markup.js';
import { readAttributes } from './read-attributes.js';

/** An element of a block as a value. Its parts are computed on first use. */
export class ElementSource implements ValueSource {
  readonly at: number;
  private readChildren?: ValueSource[];
  private readJoined?: string;
  private isUsed = false;
  readonly attributes: readonly Attribute[];
  readonly blank: boolean;
  readonly fault: string | undefined;

  constructor(
    readonly text: string,
    readonly element: Element,
    readonly findings: Findings,
    readonly name: string = element.name,
    /** Why the element is not allowed at its position. */
    readonly misplaced?: string,
  ) {
    this.at = element.start;
    const { list, fault } = readAttributes(element.attributes);
    this.fault = fault && `The attributes of <${element.name}> cannot be read: ${fault}`;
    this.attributes = name === element.name ? list : list.filter((attribute) => attribute.name !== 'name');
    this.blank = element.content.every((part) => part.kind === 'comment' || (isText(part) && this.isBlank(part)));
  }

  get children(): readonly ValueSource[] {
    return (this.readChildren ??= this.element.content
      .filter((part) => part.kind === 'element')
      .map((child) => new ElementSource(this.text, child, this.findings)));
  }

  /** Has an effect only once, because a list and its only element can be the same element. */
  use(): void {
    if (this.isUsed) return;
    this.isUsed = true;
    if (!this.element.raw) checkCdata(this);
  }

  get mixed(): boolean {
    return this.children.length > 0 && this.element.content.some((part) => isText(part) && !this.isBlank(part));
  }

  get plain(): string {
    return (this.given ?? this.joined).trim();
  }

  /** The attribute `value` of a blank element. */
  private get given(): string | undefined {
    return this.blank ? this.attributes.find(isValue)?.value : undefined;
  }

  /**
   * The element as a string. CDATA is verbatim, without the line breaks next to its delimiters. Other text is trimmed
   * at its ends. Markup stays as it is written.
   */
  verbatim(): string {
    const { element, findings, given } = this;
    if (given !== undefined) return given;
    const markup = element.content.some(({ kind }) => kind === 'element' || kind === 'instruction');
    if (markup || element.raw) return this.rawText(markup);
    if (element.content.some(({ kind }) => kind === 'comment')) {
      findings.warn(this.at, `The comment inside <${element.name}> is ignored; put the text into CDATA to keep it`);
    }
    checkVerbatim(this, this.joined);
    return this.joined;
  }

  /** Raw text without any tag is ordinary text, so its references are decoded. */
  private rawText(markup: boolean): string {
    const { inner, innerEnd, name } = this.element;
    const raw = this.text.slice(inner, innerEnd).trim();
    if (!markup && !/<[\p{L}_/!?]/u.test(raw)) return decodeReferences(raw);
    if (this.element.content.some(({ kind }) => kind === 'cdata')) {
      this.findings.error(
        'malformed_xml',
        this.at,
        `<${name}> mixes CDATA with tags; put all of its text into one CDATA section`,
      );
    }
    this.findings.warn(this.at, `The markup inside <${name}> is kept as text, as it is written; use CDATA to say so`);
    return raw;
  }

  private get joined(): string {
    return (this.readJoined ??= this.join());
  }

  private join(): string {
    const all = this.element.content.filter(isText);
    const isLayout = (piece: MarkupPiece) => this.isBlank(piece);
    const from = all.findIndex((piece) => !isLayout(piece));
    const pieces = from === -1 ? [] : all.slice(from, all.findLastIndex((piece) => !isLayout(piece)) + 1);
    let joined = '';
    for (const piece of pieces) joined += this.textOf(piece, all);
    if (pieces[0]?.kind === 'cdata') joined = joined.replace(/^\r?\n/, '');
    if (pieces.at(-1)?.kind === 'cdata') joined = withoutLastBreak(joined);
    return joined;
  }

  /** Trims a text at the ends of the element before references are decoded, so that `&#10;` stays. */
  private textOf(piece: MarkupPiece, all: readonly MarkupPiece[]): string {
    if (piece.text !== undefined) return piece.text;
    let raw = this.text.slice(piece.start, piece.end);
    if (piece === all[0]) raw = raw.trimStart();
    if (piece === all.at(-1)) raw = raw.trimEnd();
    return decodeReferences(raw);
  }

  private isBlank({ kind, start, end }: MarkupPiece): boolean {
    return kind === 'text' && this.text.slice(start, end).trim() === '';
  }
}

/** Removes one line break at the end, with the indentation of the delimiter behind it. */
function withoutLastBreak(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  if (text[end - 1] !== '\n') return text;
  return text.slice(0, text[end - 2] === '\r' ? end - 2 : end - 1);
}
