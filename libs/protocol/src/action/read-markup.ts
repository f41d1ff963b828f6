import { MAX_DEPTH } from '@errand/contracts';
import { skipBlanks } from '../blanks.js';
import { cdataOpenerAt, readCdata, type CdataOpener } from './read-cdata.js';
import { Element } from './element.js';
import { beginsDelimited, findNameEnd, findTagEnd, GREATER, LESS, MarkupError, nameStartsAt, SLASH } from './markup.js';

/** Block, call and parameter are above a value, which may itself nest `MAX_DEPTH` levels. */
const MAX_ELEMENTS = MAX_DEPTH + 4;
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
  /** The innermost open element. */
  private current: Element;

  constructor(
    private readonly text: string,
    private readonly to: number,
    private readonly takesRaw?: TakesRaw,
  ) {
    this.current = new Element('', '', 0, 0);
  }

  read(from: number): Element {
    const root = new Element('', '', from, from);
    this.open.push(root);
    this.current = root;
    for (let at = this.nextAngle(from); at < this.to;) at = this.nextAngle(this.readAngle(at));
    const unclosed = this.current;
    if (unclosed !== root) throw new MarkupError(unclosed.start, `<${unclosed.name}> is not closed`);
    root.innerEnd = root.end = this.to;
    return root;
  }

  private nextAngle(from: number): number {
    const at = this.text.indexOf('<', from);
    return at === -1 || at > this.to ? this.to : at;
  }

  /** Reads the markup at a `<`, and returns the offset behind it. A `<` that begins no markup is text. */
  private readAngle(at: number): number {
    const next = this.text.charCodeAt(at + 1);
    if (next === SLASH) return this.readEndTag(at);
    const cdata = cdataOpenerAt(this.text, at, false);
    if (cdata) return this.readCdata(at, cdata);
    if (beginsDelimited(next)) return this.readDelimited(at);
    return nameStartsAt(this.text, at + 1) ? this.readStartTag(at) : at + 1;
  }

  private readCdata(at: number, opener: CdataOpener): number {
    const { end, text, misspelt } = readCdata(this.text, at, this.to, this.current.name, opener);
    this.current.add({ kind: 'cdata', start: at, end, text, misspelt });
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
    this.current.add({ kind: form.kind, start: at, end, text: undefined, misspelt: undefined });
    return end;
  }

  private readStartTag(at: number): number {
    const nameEnd = findNameEnd(this.text, at + 1);
    const close = findTagEnd(this.text, nameEnd, this.to);
    if (close === -1)
      throw new MarkupError(at, `The tag <${this.shownName(at, nameEnd)} has no '>'; write &lt; for a literal '<'`);
    const isEmpty = this.text.charCodeAt(close - 1) === SLASH;
    const tagEnd = isEmpty ? close - 1 : close;
    const name = this.text.slice(at + 1, Math.min(nameEnd, tagEnd));
    const attributes = nameEnd < tagEnd ? this.text.slice(nameEnd, tagEnd).trim() : '';
    const found = new Element(name, attributes, at, close + 1);
    if (this.open.length > MAX_ELEMENTS) {
      throw new MarkupError(at, `<${name.slice(0, 60)}> nests deeper than ${MAX_DEPTH} levels`, true);
    }
    this.current.add(found);
    if (isEmpty) return close + 1;
    if (this.takesRaw?.(found, this.open)) return this.readRaw(found);
    this.open.push(found);
    this.current = found;
    return this.readHeadless(close + 1);
  }

  private shownName(at: number, nameEnd: number): string {
    return this.text.slice(at + 1, Math.min(nameEnd, at + 61));
  }

  /** A CDATA opener without its `<` is recognized only at the beginning of an element's text. */
  private readHeadless(from: number): number {
    const at = skipBlanks(this.text, from, this.to);
    if (at >= this.to || this.text.charCodeAt(at) === LESS) return from;
    const opener = cdataOpenerAt(this.text, at, true);
    return opener ? this.readCdata(at, opener) : from;
  }

  private readRaw(found: Element): number {
    const endTag = findEndTag(this.text, found.name, found.inner, this.to);
    if (!endTag) throw new MarkupError(found.start, `<${found.name}> is not closed`);
    found.innerEnd = endTag.start;
    found.raw = true;
    return (found.end = endTag.end);
  }

  private readEndTag(at: number): number {
    const { current, open } = this;
    const expected = at + 2 + current.name.length;
    const isExpected = this.text.charCodeAt(expected) === GREATER && this.text.startsWith(current.name, at + 2);
    const close = isExpected && open.length > 1 && expected < this.to ? expected : this.checkEndTag(at);
    open.pop();
    this.current = open[open.length - 1] ?? current;
    current.innerEnd = at;
    return (current.end = close + 1);
  }

  /** Returns the offset of the `>` of an end tag. @throws MarkupError if it does not end the innermost element */
  private checkEndTag(at: number): number {
    const { current } = this;
    const close = this.text.indexOf('>', at);
    const name = close === -1 || close >= this.to ? '' : this.text.slice(at + 2, close).trimEnd();
    if (name === '' || /[\s<]/.test(name))
      throw new MarkupError(at, "'</' does not begin an end tag; write &lt;/ for text");
    if (this.open.length === 1) throw new MarkupError(at, `</${name.slice(0, 60)}> closes nothing`);
    if (name !== current.name) {
      throw new MarkupError(current.start, `<${current.name}> is not closed before </${name.slice(0, 60)}>`);
    }
    return close;
  }
}

/** The first end tag of this name. */
function findEndTag(text: string, name: string, from: number, to: number) {
  const opening = `</${name}`;
  for (let at = text.indexOf(opening, from); at !== -1 && at < to; at = text.indexOf(opening, at + 1)) {
    const end = skipBlanks(text, at + opening.length, to);
    if (end < to && text.charCodeAt(end) === GREATER) return { start: at, end: end + 1 };
  }
  return undefined;
}
