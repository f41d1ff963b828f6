import { DIALECT_NAMES, DIALECTS, ESCAPE, type DialectName } from './dialects.js';

/**
 * Which dialect a block is written in that begins with a marker several share: the one whose opening mark its first field
 * has. Escaped values, which all know, are passed over.
 */
export function detectDialect(text: string, start: number, fallback: DialectName): DialectName {
  const candidates = DIALECT_NAMES.filter((name) => DIALECTS[name].blockStart === DIALECTS[fallback].blockStart);
  if (candidates.length === 1) return fallback;
  const marks = [ESCAPE.open, ...candidates.map((name) => DIALECTS[name].open)];
  const field = new RegExp(`[:：]\\s*(${marks.join('|')})`, 'g');
  field.lastIndex = start;
  for (let match = field.exec(text); match; match = field.exec(text)) {
    if (match[1] !== ESCAPE.open) return candidates.find((name) => DIALECTS[name].open === match[1])!;
    const end = text.indexOf(ESCAPE.close, field.lastIndex);
    if (end === -1) break;
    field.lastIndex = end;
  }
  return fallback;
}
