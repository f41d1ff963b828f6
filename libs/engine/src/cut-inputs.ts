import type { Json, JsonObject } from '@errand/contracts';

/** How many characters of JSON a node's inputs may have where its state is shown. */
const BOUND = 4096;

/** A node's inputs as they are shown: each that is too long is a text with its beginning and its length instead. */
export function cutInputs(inputs: JsonObject, bound: number = BOUND): JsonObject {
  if (spare(inputs, bound) >= 0) return inputs;
  const names = Object.keys(inputs);
  const share = Math.floor(bound / names.length);
  return Object.fromEntries(names.map((name) => [name, cut(inputs[name]!, share)]));
}

function cut(value: Json, bound: number): Json {
  if (spare(value, bound) >= 0) return value;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${text.slice(0, bound)}… (${text.length} characters)`;
}

/** What is left of `bound` after the JSON of a value, about; negative, and not exact, where it is longer. */
function spare(value: Json, bound: number): number {
  if (typeof value === 'string') return bound - value.length - 2;
  if (typeof value !== 'object' || value === null) return bound - 5;
  const named = !Array.isArray(value);
  let left = bound - 2;
  for (const [key, item] of Object.entries(value)) {
    if (left < 0) return left;
    left = spare(item, named ? left - key.length - 4 : left - 1);
  }
  return left;
}
