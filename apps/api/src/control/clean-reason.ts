/** Control characters, line breaks, and marks that change the direction of text. They could begin a line of their own or hide text. */
const BREAKING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/**
 * The reason of a cancel request as one line of text, for Observations, logs, callbacks and terminals. Line breaks and control characters
 * become blanks, and half characters become U+FFFD. Empty for a reason without text.
 */
export function cleanReason(reason = ''): string {
  return Buffer.from(reason).toString().replaceAll(BREAKING, ' ').trim();
}
