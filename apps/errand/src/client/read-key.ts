import { UsageError } from '../usage-error.js';

/**
 * Checks that a header carries the key unchanged.
 * @param from the origin of the key, for the message
 * @throws UsageError that does not repeat the key
 */
export function readKey(text: string, from: string): string {
  const key = text.trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError(`${from} must be visible ASCII characters without blanks`);
  return key;
}
