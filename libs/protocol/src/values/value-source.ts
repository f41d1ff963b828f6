/** An attribute of an element. Without `value` it is a name alone. */
export interface Attribute {
  name: string;
  value?: string;
}

/** An element as far as its attributes are concerned. */
export interface Tag {
  name: string;
  /** Offset in the submitted text, for messages. */
  at: number;
  /** Less the one that gives an `<input>` its name. */
  attributes: readonly Attribute[];
  /** Why its attributes cannot be read. */
  fault?: string | undefined;
  /** Why the element cannot stand where it does. */
  misplaced?: string | undefined;
  /** Whether it holds nothing but blanks and comments. */
  blank: boolean;
}

/**
 * A piece of text that stands for a value, whichever protocol it came in: an element of an ACTION block, or a field of a TAM
 * block (which never has children or attributes). The schema decides which of its readings is used.
 */
export interface ValueSource extends Tag {
  children: readonly ValueSource[];
  /** Whether text stands beside the children. */
  mixed: boolean;
  /** The text for everything but strings: trimmed, entities decoded, without markup. */
  plain: string;
  /** Called when the source is read as a value of its own: only then its faults and repairs are reported. */
  use(): void;
  /** The value as a string. Reading it may leave a warning, so it is asked for only where a string is wanted. */
  verbatim(): string;
}
