import type { Json } from '@errand/contracts';
import { escapeKey } from './json-pointer.js';

const PLACE = String.raw`\{\{\s*(?:steps\.|job:)[^{}]*\}\}`;
const WHOLE = new RegExp(`^${PLACE}$`);
const PART = new RegExp(PLACE);

/**
 * The strings of a value that stand for an earlier result, by JSON Pointer. A string that is exactly one `{{steps.…}}` or
 * `{{job:…}}` (`whole`) becomes a value of any type, one that holds it among other text (`part`) stays a string.
 */
export function findTemplates(
  value: Json,
  path = '',
  found = new Map<string, 'whole' | 'part'>(),
): Map<string, 'whole' | 'part'> {
  if (typeof value === 'string') {
    if (WHOLE.test(value)) found.set(path, 'whole');
    else if (PART.test(value)) found.set(path, 'part');
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) findTemplates(child, `${path}/${escapeKey(key)}`, found);
  }
  return found;
}
