/** Counts the steps of some work. */
export interface StepCounter {
  take(steps: number): void;
}

/**
 * A text that is the same for two values exactly if they are equal in JSON Schema: the order of keys does not matter,
 * `1` equals `1.0` and `0` equals `-0`. The time is linear in the size of the value, except for sorting keys.
 */
export function canonicalValue(value: unknown, run: StepCounter): string {
  if (typeof value === 'string') {
    run.take(2 + (value.length >> 4));
    return JSON.stringify(value);
  }
  run.take(2);
  if (typeof value !== 'object' || value === null) return String(value === 0 ? 0 : value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalValue(item, run)).join()}]`;
  run.take(10);
  let text = '{';
  for (const key of Object.keys(value).toSorted()) {
    run.take(8 + (key.length >> 4));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object, and one of its keys
    text += `${JSON.stringify(key)}:${canonicalValue((value as Record<string, unknown>)[key], run)},`;
  }
  return `${text}}`;
}
