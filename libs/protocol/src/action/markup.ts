/** A part of an element's content that is not an element. Offsets are in the submitted text and include delimiters. */
export interface MarkupPiece {
  kind: 'text' | 'cdata' | 'comment' | 'instruction';
  start: number;
  end: number;
  /** Only of a CDATA section: its text. */
  text?: string;
  /** Only of a CDATA section with a misspelt opener: the opener. */
  misspelt?: string;
}

/** An element with offsets: `start` is its `<`, `inner`..`innerEnd` its content, `end` is behind its end tag. */
export interface Element {
  kind: 'element';
  name: string;
  /** The text between the name and `>`, with all attributes. */
  attributes: string;
  start: number;
  inner: number;
  innerEnd: number;
  end: number;
  content: (MarkupPiece | Element)[];
  /** Whether its content was taken as text, not as markup. */
  raw?: boolean;
}

/** Whether a part of an element is text, in CDATA or not. */
export function isText(part: MarkupPiece | Element): part is MarkupPiece {
  return part.kind === 'text' || part.kind === 'cdata';
}

/** Why a text is not valid markup. `final`: do not retry with raw string parameters; the message shows the fix. */
export class MarkupError extends Error {
  constructor(
    readonly at: number,
    message: string,
    readonly final: boolean = false,
  ) {
    super(message);
  }
}

/** The first letter of a name. It distinguishes a tag from a literal `<`. */
const NAME_START = /[\p{L}_]/uy;

/** Whether a name begins at this offset. */
export function nameStartsAt(text: string, at: number): boolean {
  NAME_START.lastIndex = at;
  return NAME_START.test(text);
}

/** The offset of the `>` that ends a tag, past quoted attribute values; -1 if `<` or the end comes first. */
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
