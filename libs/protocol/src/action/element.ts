import { skipBlanks } from '../blanks.js';

/** A part of an element's content that is not an element. Offsets are in the submitted text and include delimiters. */
export interface MarkupPiece {
  kind: 'text' | 'cdata' | 'comment' | 'instruction';
  start: number;
  end: number;
  /** Only of a CDATA section: its text. */
  text: string | undefined;
  /** Only of a CDATA section with a misspelt opener: the opener. */
  misspelt: string | undefined;
}

const NONE: readonly never[] = [];

/** An element with offsets: `start` is its `<`, `inner`..`innerEnd` its content, `end` is behind its end tag. */
export class Element {
  readonly kind = 'element';
  innerEnd: number;
  end: number;
  /** Whether its content was taken as text, not as markup. */
  raw = false;
  /** Whether it holds elements or processing instructions. */
  hasMarkup = false;
  hasElements = false;
  private ownParts: (MarkupPiece | Element)[] | undefined = undefined;

  /** @param attributes the text between the name and `>`, with all attributes */
  constructor(
    readonly name: string,
    readonly attributes: string,
    readonly start: number,
    readonly inner: number,
  ) {
    this.innerEnd = inner;
    this.end = inner;
  }

  /** The parts of the content in order, without the texts: a text is what is between two parts. */
  get parts(): readonly (MarkupPiece | Element)[] {
    return this.ownParts ?? NONE;
  }

  add(part: MarkupPiece | Element): void {
    if (part.kind === 'element') this.hasElements = true;
    if (part.kind === 'element' || part.kind === 'instruction') this.hasMarkup = true;
    if (this.ownParts) this.ownParts.push(part);
    else this.ownParts = [part];
  }

  /** The child elements. */
  get elements(): readonly Element[] {
    return this.hasElements ? this.parts.filter((part) => part.kind === 'element') : NONE;
  }

  /** The parts and the texts in order. It is made anew: most elements are read without it. */
  get content(): (MarkupPiece | Element)[] {
    const content: (MarkupPiece | Element)[] = [];
    let at = this.inner;
    for (const part of this.parts) {
      if (part.start > at) content.push(textPiece(at, part.start));
      content.push(part);
      at = part.end;
    }
    if (this.innerEnd > at) content.push(textPiece(at, this.innerEnd));
    return content;
  }

  /** Whether all texts outside CDATA are blank. */
  hasBlankTexts(text: string): boolean {
    let at = this.inner;
    for (const { start, end } of this.parts) {
      if (skipBlanks(text, at, start) < start) return false;
      at = end;
    }
    return skipBlanks(text, at, this.innerEnd) >= this.innerEnd;
  }
}

function textPiece(start: number, end: number): MarkupPiece {
  return { kind: 'text', start, end, text: undefined, misspelt: undefined };
}

/** Whether a part of an element is text, in CDATA or not. */
export function isText(part: MarkupPiece | Element): part is MarkupPiece {
  return part.kind === 'text' || part.kind === 'cdata';
}
