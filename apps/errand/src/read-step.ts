import { UsageError } from './usage-error.js';

/** The number of a step. @throws UsageError for a text that is not a whole number */
export function readStep(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError(`--step must be the number of a step, from 0, not '${text}'`);
}
