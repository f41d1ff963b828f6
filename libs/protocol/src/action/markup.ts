/** A part of an element's content that is no element. Offsets in the submitted text, delimiters included. */
export interface MarkupPiece {
  kind: 'text' | 'cdata' | 'comment' | 'instruction';
  start: number;
  end: number;
  /** Of a CDATA section: its text. */
  text?: string;
  /** Of a CDATA section with a misspelt opener: the opener. */
  misspelt?: string;
}

/** An element with the offsets of its parts: `start` its `<`, `inner`..`innerEnd` its content, `end` behind its end tag. */
export interface Element {
  kind: 'element';
  name: string;
  /** The text between name and `>`, attributes and all. */
  attributes: string;
  start: number;
  inner: number;
  innerEnd: number;
  end: number;
  content: (MarkupPiece | Element)[];
  /** Its content was taken as it stands, not as markup. */
  raw?: boolean;
}

/** Whether a part of an element is text, in CDATA or not. */
export function isText(part: MarkupPiece | Element): part is MarkupPiece {
  return part.kind === 'text' || part.kind === 'cdata';
}

/** Why a text is no markup. `final`: reading string parameters raw must not be tried, and the message shows the way out. */
export class MarkupError extends Error {
  constructor(
    readonly at: number,
    message: string,
    readonly final: boolean = false,
  ) {
    super(message);
  }
}

/** The first letter of a name: what tells a tag from a literal `<`. */
export const NAME_START = /[\p{L}_]/uy;

/** Whether a name begins at this offset. */
export function nameStartsAt(text: string, at: number): boolean {
  NAME_START.lastIndex = at;
  return NAME_START.test(text);
}

/** The offset of the `>` that ends a tag, past quoted attribute values; -1 where `<` or the end comes first. */
export function findTagEnd(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const char = text[at];
    if (char === '>') return at;
    if (char === '<') return -1;
    if (char === '"' || char === "'") {
      at = text.indexOf(char, at + 1);
      if (at === -1 || at >= to) return -1;
    }
  }
  return -1;
}
