import type { Json } from '@errand/contracts';

/** Returns a string unchanged, anything else as JSON. */
export function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
