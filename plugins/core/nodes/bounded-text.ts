import { ToolError } from '@errand/contracts';

/** In UTF-16 code units. A few short inputs can make a text that fills the memory. */
const MAX_LENGTH = 10_000_000;

/** @throws ResourceLimitError if `length` is too large */
export function requireLength(length: number): void {
  if (length > MAX_LENGTH)
    throw new ToolError(
      'ResourceLimitError',
      `The text would have ${length} characters; ${MAX_LENGTH} are allowed. Make it of fewer or shorter parts`,
    );
}

/** Returns the text if it is short enough. The runtime builds long texts lazily, so this check is in time. @throws ResourceLimitError */
export function boundedText(text: string): string {
  requireLength(text.length);
  return text;
}

/** Joins parts. @throws ResourceLimitError before it builds a text that is too long */
export function joinText(parts: readonly string[], separator: string): string {
  requireLength(parts.reduce((length, part) => length + part.length, separator.length * (parts.length - 1)));
  return parts.join(separator);
}
