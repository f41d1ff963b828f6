import { MAX_DEPTH, type Json } from '@errand/contracts';

/** What CEL came to, as JSON: whole numbers as numbers, times as ISO 8601. @throws Error for what is no JSON */
export function jsonOf(value: unknown, depth = 0): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return finite(value);
  if (typeof value === 'bigint') return exact(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array)
    throw new Error('the result is bytes: write .string(), .base64() or .hex() behind it');
  if (depth >= MAX_DEPTH) throw new Error(`the result nests deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value) || value instanceof Set) return Array.from(value, (item) => jsonOf(item, depth + 1));
  const entries = value instanceof Map ? [...value] : plainEntries(value);
  return Object.fromEntries(entries.map(([key, item]) => [String(key), jsonOf(item, depth + 1)]));
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new Error('the result is not a finite number (a division by zero, or too large)');
}

function exact(value: bigint): number {
  if (BigInt(Number(value)) === value) return Number(value);
  throw new Error(`the result ${value} is too large for a JSON number; write string(…) around it`);
}

function plainEntries(value: unknown): [string, unknown][] {
  const prototype: unknown = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined;
  if (typeof value === 'object' && value !== null && (prototype === null || prototype === Object.prototype))
    return Object.entries(value);
  throw new Error(
    'the result is no JSON value (a type, a duration, an unsigned number); write string(…) or int(…) around it, or compare it',
  );
}
