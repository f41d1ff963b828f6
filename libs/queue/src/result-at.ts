import { isObject, own, type Json } from '@errand/contracts';
import { readerOfValue, type ResultReader } from './read-result.js';

/**
 * The value at a JSON Pointer (RFC 6901) into a value; `''` is the whole. Undefined: nothing is there, or the pointer is not
 * one. An item of a list is named by its place, as RFC 6901 writes it: `length` and `01` name none.
 */
export function valueAtPointer(value: Json, pointer: string): Json | undefined {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined;
  let found: Json | undefined = value;
  for (const segment of pointer.split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(found)) found = /^(0|[1-9]\d*)$/.test(key) ? found[Number(key)] : undefined;
    else found = isObject(found) ? own(found, key) : undefined;
    if (found === undefined) return undefined;
  }
  return found;
}

/**
 * A reader for the value at a path into an invocation's result: of one step the result itself, of several their list. Only the
 * step that the path leads into is read, and of that, without a further path, only the part that is asked for. Undefined:
 * nothing is there.
 */
export async function resultAt(
  steps: readonly (ResultReader | undefined)[],
  path: string,
): Promise<ResultReader | undefined> {
  if (steps.length === 1) return readAt(steps[0], path);
  const [, index, rest = ''] = /^\/(0|[1-9]\d{0,3})(\/.*)?$/s.exec(path) ?? [];
  if (index !== undefined) return readAt(steps[Number(index)], rest);
  const whole: Json[] = await Promise.all(steps.map(async (step) => (step ? step.whole() : null)));
  const value = valueAtPointer(whole, path);
  return value === undefined ? undefined : readerOfValue(value);
}

async function readAt(step: ResultReader | undefined, path: string): Promise<ResultReader | undefined> {
  if (!step || path === '') return step;
  const value = valueAtPointer(await step.whole(), path);
  return value === undefined ? undefined : readerOfValue(value);
}
