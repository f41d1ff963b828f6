import type { Findings } from '../parse-result.js';
import type { Source } from '../values/source.js';
import { decodeReferences } from './decode-references.js';
import type { Element, Piece } from './markup.js';

/** An element of a block as a value; what is read of it is worked out when it is asked for, and once. */
export class ElementSource implements Source {
  readonly at: number;
  private readChildren?: Source[];
  private readPlain?: string;

  constructor(
    private readonly text: string,
    readonly element: Element,
    private readonly findings: Findings,
    readonly name: string = element.name,
  ) {
    this.at = element.start;
  }

  get children(): readonly Source[] {
    return (this.readChildren ??= this.element.content
      .filter((part) => part.kind === 'element')
      .map((child) => new ElementSource(this.text, child, this.findings)));
  }

  /** The name that `<input name="…">` gives is no attribute to warn of. */
  use(): void {
    if (this.name === this.element.name) warnOfAttributes(this.element, this.findings);
  }

  get mixed(): boolean {
    return this.children.length > 0 && this.element.content.some((part) => isText(part) && !this.isBlank(part));
  }

  get plain(): string {
    return (this.readPlain ??= this.joined().trim());
  }

  /**
   * The element as a string. CDATA is verbatim, less the line breaks that set it off from its delimiters; other text is
   * trimmed at its ends. Markup stays as it stands in the text.
   */
  verbatim(): string {
    const { element, findings } = this;
    const markup = element.content.some(({ kind }) => kind === 'element' || kind === 'instruction');
    if (markup || element.raw) return this.rawText(markup);
    if (element.content.some(({ kind }) => kind === 'comment')) {
      findings.warn(this.at, `The comment inside <${element.name}> is ignored; put the text into CDATA to keep it`);
    }
    const value = this.joined();
    this.checkEnd(value);
    this.warnOfLeftovers();
    return value;
  }

  /** Text read raw without any tag in it is ordinary text after all: its references are decoded like any other's. */
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
    this.findings.warn(this.at, `The markup inside <${name}> is kept as text, as it stands; use CDATA to say so`);
    return raw;
  }

  private joined(): string {
    const pieces = this.element.content.filter(isText);
    while (pieces.length > 1 && this.isBlank(pieces[0]!)) pieces.shift();
    while (pieces.length > 1 && this.isBlank(pieces.at(-1)!)) pieces.pop();
    let joined = '';
    for (const piece of pieces) joined += this.textOf(piece);
    if (pieces[0]?.kind === 'cdata') joined = joined.replace(/^\r?\n/, '');
    if (pieces.at(-1)?.kind === 'cdata') joined = withoutLastBreak(joined);
    return joined;
  }

  /** A text piece at an end of the element is trimmed there, before references are decoded: `&#10;` is meant. */
  private textOf({ kind, start, end }: Piece): string {
    if (kind === 'cdata') return this.text.slice(start + '<![CDATA['.length, end - ']]>'.length);
    const parts = this.element.content;
    let raw = this.text.slice(start, end);
    if (start === this.element.inner || parts.every((part) => !isText(part) || part.start >= start))
      raw = raw.trimStart();
    if (end === this.element.innerEnd || parts.every((part) => !isText(part) || part.end <= end)) raw = raw.trimEnd();
    return decodeReferences(raw);
  }

  private isBlank({ kind, start, end }: Piece): boolean {
    return kind === 'text' && this.text.slice(start, end).trim() === '';
  }

  /**
   * A value that holds the end tag of its own element, not begun in it: CDATA that was never closed, if other CDATA begins
   * behind it; perhaps so, if the element begins again.
   */
  private checkEnd(value: string): void {
    const { name } = this.element;
    const [end, start] = [value.indexOf(`</${name}`), value.indexOf(`<${name}`)];
    if (end === -1 || (start !== -1 && start < end)) return;
    const message = `The CDATA of <${name}> runs past </${name}>; close it with ]]> before`;
    if (value.lastIndexOf('<![CDATA[') > end) this.findings.error('malformed_xml', this.at, message);
    else if (start !== -1) this.findings.warn(this.at, `${message}, if it was to end there`);
  }

  private warnOfLeftovers(): void {
    for (const { kind, start, end } of this.element.content) {
      const leftover = kind === 'cdata' ? '<![CDATA[' : ']]>';
      const at = this.text.slice(start, end).indexOf(leftover, kind === 'cdata' ? 1 : 0);
      if (at !== -1) this.findings.warn(start + at, `'${leftover}' inside <${this.element.name}> is read as text`);
    }
  }
}

function isText(part: Piece | Element): part is Piece {
  return part.kind === 'text' || part.kind === 'cdata';
}

/** One line break at the end, with the indentation of the delimiter that follows it. */
function withoutLastBreak(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  if (text[end - 1] !== '\n') return text;
  return text.slice(0, text[end - 2] === '\r' ? end - 2 : end - 1);
}

export function warnOfAttributes(element: Element, findings: Findings): void {
  if (element.attributes === '') return;
  findings.warn(element.start, `The attributes of <${element.name}> are ignored; write each value as a tag`);
}
