import type { Findings } from '../parse-result.js';
import { isValue } from '../values/check-attributes.js';
import type { Attribute, ValueSource } from '../values/value-source.js';
import { checkCdata, checkVerbatim } from './check-cdata.js';
import { decodeReferences } from './decode-references.js';
import type { Element } from './element.js';
import { joinTexts } from './join-texts.js';
import { readAttributes } from './read-attributes.js';

const NONE: readonly never[] = [];

/** An element of a block as a value. Its parts are computed on first use. */
export class ElementSource implements ValueSource {
  readonly at: number;
  private readChildren: readonly ValueSource[] | undefined = undefined;
  private readTag: Tag | undefined = undefined;
  private readJoined: string | undefined = undefined;
  private isUsed = false;

  /** @param misplaced why the element is not allowed at its position */
  constructor(
    readonly text: string,
    readonly element: Element,
    readonly findings: Findings,
    readonly name: string = element.name,
    readonly misplaced?: string,
  ) {
    this.at = element.start;
  }

  get attributes(): readonly Attribute[] {
    return this.element.attributes === '' ? NONE : this.tag.attributes;
  }

  get fault(): string | undefined {
    return this.element.attributes === '' ? undefined : this.tag.fault;
  }

  get blank(): boolean {
    const { element, text } = this;
    return element.parts.every(({ kind }) => kind === 'comment') && element.hasBlankTexts(text);
  }

  get children(): readonly ValueSource[] {
    if (!this.element.hasElements) return NONE;
    return (this.readChildren ??= this.element.elements.map(
      (child) => new ElementSource(this.text, child, this.findings),
    ));
  }

  /** Has an effect only once, because a list and its only element can be the same element. */
  use(): void {
    if (this.isUsed) return;
    this.isUsed = true;
    if (this.element.parts.length > 0) checkCdata(this);
  }

  /** The content; of an element without content the whole element, whose value may be an attribute. */
  get range(): readonly [number, number] {
    const { inner, innerEnd, start, end } = this.element;
    return innerEnd > inner ? [inner, innerEnd] : [start, end];
  }

  get mixed(): boolean {
    const { element, text } = this;
    if (!element.hasElements) return false;
    return element.parts.some(({ kind }) => kind === 'cdata') || !element.hasBlankTexts(text);
  }

  get plain(): string {
    return (this.given ?? this.joined).trim();
  }

  private get tag(): Tag {
    return (this.readTag ??= tagOf(this.element, this.name));
  }

  /** The attribute `value` of a blank element. */
  private get given(): string | undefined {
    if (this.attributes.length === 0 || !this.blank) return undefined;
    return this.attributes.find(isValue)?.value;
  }

  /**
   * The element as a string. CDATA is verbatim, without the line breaks next to its delimiters. Other text is trimmed
   * at its ends. Markup stays as it is written.
   */
  verbatim(): string {
    const { element, findings, given } = this;
    if (given !== undefined) return given;
    const { hasMarkup: markup, parts } = element;
    if (markup || element.raw) return this.rawText(markup);
    if (parts.some(({ kind }) => kind === 'comment')) {
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
    if (this.element.parts.some(({ kind }) => kind === 'cdata')) {
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
    return (this.readJoined ??= joinTexts(this.text, this.element));
  }
}

/** The attributes of an element, less the `name` of an `<input>`. */
interface Tag {
  attributes: readonly Attribute[];
  fault: string | undefined;
}

function tagOf(element: Element, name: string): Tag {
  const { list, fault } = readAttributes(element.attributes);
  return {
    attributes: name === element.name ? list : list.filter((attribute) => attribute.name !== 'name'),
    fault: fault && `The attributes of <${element.name}> cannot be read: ${fault}`,
  };
}
