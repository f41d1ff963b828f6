import type { LocatedWarning } from '@errand/contracts';
import { oneLine, sentence } from './one-line.js';

const MAX_KEPT = 100;
const MAX_SHOWN = 10;
const MAX_CHARS = 300;

/** Limits the warnings to a number that may be stored. */
export function boundWarnings<T>(warnings: readonly T[]): T[] {
  return warnings.slice(0, MAX_KEPT);
}

/** Returns one short line for each different warning. The model must see every repair. */
export function observeWarnings(warnings: readonly LocatedWarning[] = []): string[] {
  const messages = [...new Set(warnings.map(({ message }) => message))];
  const shown = messages.slice(0, MAX_SHOWN).map((message) => sentence(oneLine(message, MAX_CHARS)));
  const left = messages.length - shown.length;
  if (left > 0) shown.push(`${left} more warnings are not shown.`);
  return shown.map((message) => `Observation: Warning - ${message}`);
}
