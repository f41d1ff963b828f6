import { isObject, type Json, type JsonObject } from '@errand/contracts';

/**
 * Applies a merge patch (RFC 7396): a value replaces that of its key, `null` removes the key, and an object is merged into the object there.
 * The recursion is as deep as the patch. Names such as `__proto__` are ordinary keys.
 */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isJsonObject(value) ? mergePatch(objectOr(merged.get(key)), value) : value);
  }
  return Object.fromEntries(merged);
}

function objectOr(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}
