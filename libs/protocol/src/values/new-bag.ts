import type { Json, JsonObject } from '@errand/contracts';

/** Its prototype is empty and has no prototype, so that every name, also `__proto__`, is an ordinary property. */
class Bag {
  [name: string]: Json;
}
Reflect.deleteProperty(Bag.prototype, 'constructor');
Object.freeze(Object.setPrototypeOf(Bag.prototype, null));

/**
 * Creates an object that inherits nothing. `Object.create(null)` does the same, but as a hash table: writing and reading
 * four properties then takes four times as long.
 */
export function newBag(): JsonObject {
  return new Bag();
}
