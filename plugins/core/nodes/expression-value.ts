import { MAX_DEPTH, ToolError, type Json } from '@errand/contracts';

/** Values and characters together. A short expression can double its data again and again. */
const MAX_SIZE = 10_000_000;

/**
 * Makes a function that converts CEL values to JSON: whole numbers to numbers, times to ISO 8601. A bound applies to all its results
 * together.
 * @throws ResourceLimitError, or an Error that names a value without a JSON form
 */
export function jsonMaker(): (value: unknown) => Json {
  let left = MAX_SIZE;
  const jsonOf = (value: unknown, depth: number): Json => {
    left -= typeof value === 'string' ? value.length : 1;
    if (left < 0)
      throw new ToolError('ResourceLimitError', `the result is larger than ${MAX_SIZE} values and characters`);
    if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
    if (typeof value === 'number') return finite(value);
    if (typeof value === 'bigint') return exact(value);
    if (value instanceof Date) return value.toISOString();
    if (value instanceof Uint8Array)
      throw new Error('the result is bytes: write .string(), .base64() or .hex() after it');
    if (depth >= MAX_DEPTH) throw new Error(`the result nests deeper than ${MAX_DEPTH} levels`);
    if (Array.isArray(value) || value instanceof Set) return Array.from(value, (item) => jsonOf(item, depth + 1));
    const entries = value instanceof Map ? [...value] : plainEntries(value);
    return Object.fromEntries(entries.map(([key, item]) => [String(key), jsonOf(item, depth + 1)]));
  };
  return (value) => jsonOf(value, 0);
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
    'the result is not a JSON value (a type, a duration, an unsigned number); compare it, or write string(…) or .getSeconds()',
  );
}
