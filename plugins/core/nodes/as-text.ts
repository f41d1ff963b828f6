import type { Json } from '@errand/contracts';

/** A string as it is, anything else as JSON. */
export function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
