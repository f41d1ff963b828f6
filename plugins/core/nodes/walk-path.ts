import { didYouMean, isObject, own, type Json } from '@errand/contracts';

/** One step into a value: a property, or an index of a list (negative: from its end). */
export type PathStep = { key: string } | { index: number };

const STEP = /\.([^.[\]]+)|\[(-?\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/y;

/** Reads the name of a place in a template: `user.name`, `items.0`, `items[0]`, `['odd name']`. @throws Error that names an invalid step */
export function parsePath(path: string): PathStep[] {
  const rest = path.startsWith('[') || path === '' ? path : `.${path}`;
  const steps: PathStep[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < rest.length) {
    const at = STEP.lastIndex;
    const match = STEP.exec(rest);
    if (!match)
      throw new Error(`'${rest.slice(at)}' in '${path}' is not a path step: write name, .name, [0] or ['name']`);
    const key = match[1] ?? match[3] ?? match[4];
    steps.push(key === undefined ? { index: Number(match[2]) } : { key });
  }
  return steps;
}

/** The value at a path. @throws Error that names the last existing place and its value */
export function walkPath(value: Json, steps: readonly PathStep[], root = '$'): Json {
  let walked = root;
  for (const step of steps) {
    value = 'key' in step ? property(value, step.key, walked) : item(value, step.index, walked);
    walked += 'key' in step ? `.${step.key}` : `[${step.index}]`;
  }
  return value;
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
  const found = value.at(index);
  if (found === undefined) throw new Error(`${walked} has ${value.length} items, so there is no item ${index}`);
  return found;
}
