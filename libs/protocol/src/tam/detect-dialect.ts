import { DIALECT_NAMES, DIALECTS, ESCAPE, type DialectName } from './dialects.js';

/**
 * Detects the dialect of a block whose start marker several dialects share. The opening mark of the first field
 * decides. Escaped values are skipped, because all dialects have them.
 */
export function detectDialect(text: string, start: number, fallback: DialectName): DialectName {
  const candidates = DIALECT_NAMES.filter((name) => DIALECTS[name].blockStart === DIALECTS[fallback].blockStart);
  if (candidates.length === 1) return fallback;
  const marks = [ESCAPE.open, ...candidates.map((name) => DIALECTS[name].open)];
  const field = new RegExp(`[:：]\\s*(${marks.join('|')})`, 'g');
  field.lastIndex = start;
  for (let match = field.exec(text); match; match = field.exec(text)) {
    if (match[1] !== ESCAPE.open) return candidates.find((name) => DIALECTS[name].open === match[1]) ?? fallback;
    const end = text.indexOf(ESCAPE.close, field.lastIndex);
    if (end === -1) break;
    field.lastIndex = end;
  }
  return fallback;
}
