import { MAX_DEPTH } from '@errand/contracts';
import { cdataOpenerAt, readCdata, type CdataOpener } from './read-cdata.js';
import { findTagEnd, MarkupError, nameStartsAt, type Element, type MarkupPiece } from './markup.js';

/** Block, call and parameter are above a value, which may itself nest `MAX_DEPTH` levels. */
const MAX_ELEMENTS = MAX_DEPTH + 4;
const NAME = /[^\s<>="']+/y;
const DELIMITED = [
  { kind: 'comment', open: '<!--', close: '-->', what: 'A comment' },
  { kind: 'instruction', open: '<?', close: '?>', what: 'A processing instruction' },
] as const;

/**
 * Called at each start tag with the elements around it, outermost first. Returns whether to take the content as text.
 */
type TakesRaw = (element: Element, around: readonly Element[]) => boolean;

/**
 * Reads `text` from `from` to `to` as the content of one element, in one pass. It is XML as models write it: any name,
 * only the predefined entities, and a stray `&` or `<` is text. Every tag must be closed in order.
 * @throws MarkupError at the first position that cannot be read
 */
export function readMarkup(text: string, from: number, to: number, takesRaw?: TakesRaw): Element {
  return new MarkupReader(text, to, takesRaw).read(from);
}

class MarkupReader {
  private readonly open: Element[] = [];

  constructor(
    private readonly text: string,
    private readonly to: number,
    private readonly takesRaw?: TakesRaw,
  ) {}

  read(from: number): Element {
    const root = element('', '', from, from);
    this.open.push(root);
    let literal = from;
    for (let at = this.nextAngle(from); at < this.to;) {
      const readOn = this.markupAt(at);
      if (readOn) {
        this.addText(literal, at);
        literal = readOn();
        at = this.nextAngle(literal);
      } else at = this.nextAngle(at + 1);
    }
    this.addText(literal, this.to);
    const unclosed = this.current;
    if (unclosed !== root) throw new MarkupError(unclosed.start, `<${unclosed.name}> is not closed`);
    root.innerEnd = root.end = this.to;
    return root;
  }

  /** The innermost open element. */
  private get current(): Element {
    const current = this.open.at(-1);
    if (!current) throw new Error('Internal error: no element is open');
    return current;
  }

  private nextAngle(from: number): number {
    const at = this.text.indexOf('<', from);
    return at === -1 || at > this.to ? this.to : at;
  }

  /**
   * Returns a reader for the markup at this offset, which returns the offset behind it. Returns undefined if this `<`
   * is text.
   */
  private markupAt(at: number): (() => number) | undefined {
    const next = this.text[at + 1];
    const cdata = cdataOpenerAt(this.text, at, false);
    if (cdata) return () => this.readCdata(at, cdata);
    if (next === '/') return () => this.readEndTag(at);
    if (next === '!' || next === '?') return () => this.readDelimited(at);
    return nameStartsAt(this.text, at + 1) ? () => this.readStartTag(at) : undefined;
  }

  private readCdata(at: number, opener: CdataOpener): number {
    const current = this.current;
    const { end, ...section } = readCdata(this.text, at, this.to, current.name, opener);
    current.content.push({ kind: 'cdata', start: at, end, ...section });
    return end;
  }

  private readDelimited(at: number): number {
    const form = DELIMITED.find(({ open }) => this.text.startsWith(open, at));
    if (!form) {
      const declaration = /^<!(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)/i.test(this.text.slice(at, at + 12));
      if (!declaration) throw new MarkupError(at, "'<!' begins neither a comment nor CDATA; write &lt;! or use CDATA");
      throw new MarkupError(at, 'A document type or entity declaration is not allowed; put such text into CDATA', true);
    }
    const close = this.text.indexOf(form.close, at + form.open.length);
    const end = close + form.close.length;
    if (close === -1 || end > this.to) throw new MarkupError(at, `${form.what} is not closed with ${form.close}`);
    this.current.content.push({ kind: form.kind, start: at, end });
    return end;
  }

  private readStartTag(at: number): number {
    NAME.lastIndex = at + 1;
    let name = NAME.exec(this.text)?.[0] ?? '';
    const close = findTagEnd(this.text, at + 1 + name.length, this.to);
    if (close === -1)
      throw new MarkupError(at, `The tag <${name.slice(0, 60)} has no '>'; write &lt; for a literal '<'`);
    const empty = this.text[close - 1] === '/';
    if (empty && close === at + 1 + name.length) name = name.slice(0, -1);
    const attributes = this.text.slice(at + 1 + name.length, empty ? close - 1 : close);
    const found = element(name, attributes, at, close + 1);
    if (this.open.length > MAX_ELEMENTS) {
      throw new MarkupError(at, `<${name.slice(0, 60)}> nests deeper than ${MAX_DEPTH} levels`, true);
    }
    this.current.content.push(found);
    if (empty) return (found.end = close + 1);
    if (this.takesRaw?.(found, this.open)) return this.readRaw(found);
    this.open.push(found);
    return this.readHeadless(close + 1);
  }

  /** A CDATA opener without its `<` is recognized only at the beginning of an element's text. */
  private readHeadless(from: number): number {
    let at = from;
    while (at < this.to && /\s/.test(this.text.charAt(at))) at++;
    if (this.text[at] === '<') return from;
    const opener = cdataOpenerAt(this.text, at, true);
    if (!opener || at >= this.to) return from;
    this.addText(from, at);
    return this.readCdata(at, opener);
  }

  private readRaw(found: Element): number {
    const endTag = findEndTag(this.text, found.name, found.inner, this.to);
    if (!endTag) throw new MarkupError(found.start, `<${found.name}> is not closed`);
    found.innerEnd = endTag.start;
    found.raw = true;
    found.content.push({ kind: 'text', start: found.inner, end: endTag.start });
    return (found.end = endTag.end);
  }

  private readEndTag(at: number): number {
    const close = this.text.indexOf('>', at);
    const name = close === -1 || close >= this.to ? '' : this.text.slice(at + 2, close).trimEnd();
    const current = this.current;
    if (name === '' || /[\s<]/.test(name))
      throw new MarkupError(at, "'</' does not begin an end tag; write &lt;/ for text");
    if (this.open.length === 1) throw new MarkupError(at, `</${name.slice(0, 60)}> closes nothing`);
    if (name !== current.name) {
      throw new MarkupError(current.start, `<${current.name}> is not closed before </${name.slice(0, 60)}>`);
    }
    this.open.pop();
    current.innerEnd = at;
    return (current.end = close + 1);
  }

  private addText(start: number, end: number): void {
    if (end > start) this.current.content.push({ kind: 'text', start, end } satisfies MarkupPiece);
  }
}

function element(name: string, attributes: string, start: number, inner: number): Element {
  return {
    kind: 'element',
    name,
    attributes: attributes.trim(),
    start,
    inner,
    innerEnd: inner,
    end: inner,
    content: [],
  };
}

/** The first end tag of this name. */
function findEndTag(text: string, name: string, from: number, to: number) {
  const opening = `</${name}`;
  for (let at = text.indexOf(opening, from); at !== -1 && at < to; at = text.indexOf(opening, at + 1)) {
    let end = at + opening.length;
    while (end < to && /\s/.test(text.charAt(end))) end++;
    if (end < to && text[end] === '>') return { start: at, end: end + 1 };
  }
  return undefined;
}
