/**
 * A piece of text that stands for a value, whichever protocol it came in: an element of an ACTION block, or a field of a TAM
 * block (which never has children). The schema decides which of its readings is used.
 */
export interface Source {
  name: string;
  /** Offset in the submitted text, for messages. */
  at: number;
  children: readonly Source[];
  /** Whether text stands beside the children. */
  mixed: boolean;
  /** The text for everything but strings: trimmed, entities decoded, without markup. */
  plain: string;
  /** Called once the source is read as a value of its own: what of it does not count is warned of then. */
  use(): void;
  /** The value as a string. Reading it may leave a warning, so it is asked for only where a string is wanted. */
  verbatim(): string;
}
