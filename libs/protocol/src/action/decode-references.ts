const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const REFERENCE = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/g;

/**
 * Decodes the five named references and numeric ones, once (`&amp;lt;` becomes `&lt;`). Any other `&` is literal, also
 * before a number without a character (0, half a surrogate pair, beyond U+10FFFF).
 */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (reference, name?: string, decimal?: string, hex?: string) => {
    if (name) return NAMED[name] ?? reference;
    const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : reference;
  });
}
