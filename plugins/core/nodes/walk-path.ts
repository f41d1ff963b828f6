import { didYouMean, isObject, own, type Json } from '@errand/contracts';

/** One step into a value: a property, a place in a list, or all its items. */
export type PathStep = { key: string } | { index: number } | 'each';

const STEP = /\.([^.[\]*]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]|\[\*\]|\.\*/y;

/** Reads `$.a.b[0]`, `$['odd name']`, `$.items[*].name`. The `$` may be missing. @throws Error naming what is no step */
export function parsePath(path: string): PathStep[] {
  const rest = path.startsWith('$') ? path.slice(1) : /^[.[]|^$/.test(path) ? path : `.${path}`;
  const steps: PathStep[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < rest.length) {
    const at = STEP.lastIndex;
    const match = STEP.exec(rest);
    if (!match)
      throw new Error(`'${rest.slice(at)}' in the path '${path}' is no step: write .name, [0], ['name'] or [*]`);
    const key = match[1] ?? match[3] ?? match[4];
    steps.push(key !== undefined ? { key } : match[2] !== undefined ? { index: Number(match[2]) } : 'each');
  }
  return steps;
}

/** The value at a path; with `[*]` a list of those that are there. @throws Error saying where the path ends and what is there */
export function walkPath(value: Json, steps: readonly PathStep[], walked = '$'): Json {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (step === 'each') return itemsOf(value, walked).flatMap((each) => walkLoosely(each, rest));
  const next = 'key' in step ? property(value, step.key, walked) : item(value, step.index, walked);
  return walkPath(next, rest, 'key' in step ? `${walked}.${step.key}` : `${walked}[${step.index}]`);
}

/** Behind `[*]` an item without the path is left out, as in JSONPath. */
function walkLoosely(value: Json, steps: readonly PathStep[]): Json[] {
  let current: Json | undefined = value;
  for (const [at, step] of steps.entries()) {
    if (step === 'each') {
      const items: Json[] = Array.isArray(current) ? current : isObject(current) ? Object.values(current) : [];
      return items.flatMap((each) => walkLoosely(each, steps.slice(at + 1)));
    }
    if ('key' in step) current = isObject(current) ? own(current, step.key) : undefined;
    else current = Array.isArray(current) ? current[step.index] : undefined;
    if (current === undefined) return [];
  }
  return [current];
}

function itemsOf(value: Json, walked: string): Json[] {
  if (Array.isArray(value)) return value;
  if (isObject(value)) return Object.values(value);
  throw new Error(`${walked} is neither a list nor an object`);
}

function property(value: Json, key: string, walked: string): Json {
  // `a.0` reads a list as well: names in templates have no brackets.
  if (Array.isArray(value) && /^\d+$/.test(key)) return item(value, Number(key), walked);
  if (!isObject(value)) throw new Error(`${walked} is not an object, so it has no '${key}'`);
  const found = own(value, key);
  if (found !== undefined) return found;
  const suggestion = didYouMean(key, Object.keys(value));
  throw new Error(`${walked} has no '${key}'${suggestion ? `, did you mean '${suggestion}'?` : ''}`);
}

function item(value: Json, index: number, walked: string): Json {
  if (!Array.isArray(value)) throw new Error(`${walked} is not a list, so it has no item ${index}`);
  const found = value[index];
  if (found === undefined) throw new Error(`${walked} has ${value.length} items, so there is no item ${index}`);
  return found;
}
