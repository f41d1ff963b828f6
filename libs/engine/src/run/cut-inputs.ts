import type { Json, JsonObject } from '@errand/contracts';

/** The limit for the inputs shown in a node's state, in characters of JSON. */
const BOUND = 4096;

/** The inputs as a node's state shows them. An input that is too long is replaced by its beginning and its length. */
export function cutInputs(inputs: JsonObject, bound: number = BOUND): JsonObject {
  if (charactersLeft(inputs, bound) >= 0) return inputs;
  const entries = Object.entries(inputs);
  const share = Math.floor(bound / entries.length);
  return Object.fromEntries(entries.map(([name, value]) => [name, cut(value, share)]));
}

function cut(value: Json, bound: number): Json {
  if (charactersLeft(value, bound) >= 0) return value;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${text.slice(0, bound)}… (${text.length} characters)`;
}

/**
 * The characters left of `bound` after the JSON of a value, approximately. Negative, and not exact, if the value is
 * longer.
 */
function charactersLeft(value: Json, bound: number): number {
  if (typeof value === 'string') return bound - value.length - 2;
  if (typeof value !== 'object' || value === null) return bound - 5;
  let left = bound - 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) left = charactersLeft(value[index]!, left - 1);
    return left;
  }
  for (const key of Object.keys(value)) {
    if (left < 0) return left;
    left = charactersLeft(value[key]!, left - key.length - 4);
  }
  return left;
}
