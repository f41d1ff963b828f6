/** An attribute of an element. Without `value` it is only a name. */
export interface Attribute {
  name: string;
  value?: string;
}

/** The part of an element that the check of attributes needs. */
export interface Tag {
  name: string;
  /** Offset in the submitted text, for messages. */
  at: number;
  /** The attributes without the `name` of an `<input>`. */
  attributes: readonly Attribute[];
  /** Why its attributes cannot be read. */
  fault?: string | undefined;
  /** Why the element is not allowed at its position. */
  misplaced?: string | undefined;
  /** Whether it contains only blanks and comments. */
  blank: boolean;
}

/**
 * A piece of text that represents a value in either protocol: an element of an ACTION block, or a field of a TAM block.
 * A field has no children and no attributes. The schema decides how it is read.
 */
export interface ValueSource extends Tag {
  children: readonly ValueSource[];
  /** Whether there is text beside the children. */
  mixed: boolean;
  /** The text for all types but strings: trimmed, decoded, without markup. */
  plain: string;
  /** The offsets of the written value in the submitted text: its begin, and behind its end. */
  readonly range: readonly [start: number, end: number];
  /** Called when the source is read as a value. Only then are its problems and repairs reported. */
  use(): void;
  /** The value as a string. Reading it can add a warning, so it is called only if a string is needed. */
  verbatim(): string;
}
