import { isObject, type JsonSchema } from '@errand/contracts';
import { mapSchemas } from '../schema/plain-schema.js';

const WORDS = ['title', 'description', '$comment'];
const MAX_WORDS = 4_096;

type EscapeText = (text: string) => string;

/** The schema with the words for people escaped. Names and values stay, because calls must have them unchanged. */
export function escapeSchema(schema: JsonSchema, escapeText: EscapeText): JsonSchema {
  return mapSchemas(schema, (each) => {
    const words = WORDS.flatMap((keyword) => {
      const text = each[keyword];
      return typeof text === 'string' ? [[keyword, escapeText(text.slice(0, MAX_WORDS))]] : [];
    });
    return { ...each, ...(Object.fromEntries(words) as JsonSchema) };
  });
}

/** The first name or value of a schema that a prompt must not show unchanged, or undefined. */
export function unsafeName(schema: JsonSchema, escapeText: EscapeText): string | undefined {
  const bare = mapSchemas(schema, (each) =>
    Object.fromEntries(
      Object.entries(each).filter(([keyword, value]) => !(WORDS.includes(keyword) && typeof value === 'string')),
    ),
  );
  return findUnsafe(bare, (text) => escapeText(text) !== text);
}

function findUnsafe(value: unknown, isUnsafe: (text: string) => boolean): string | undefined {
  if (typeof value === 'string') return isUnsafe(value) ? value.slice(0, 100) : undefined;
  if (!Array.isArray(value) && !isObject(value)) return undefined;
  for (const [key, item] of Object.entries(value)) {
    // The name of a property is a word of a line in a prompt.
    const isBroken = !Array.isArray(value) && (/\s*[\n\t]/.test(key) || isUnsafe(key));
    const found = isBroken ? key.slice(0, 100) : findUnsafe(item, isUnsafe);
    if (found !== undefined) return found;
  }
  return undefined;
}
