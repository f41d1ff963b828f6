import { resolve, shapeOf, type Schema, isSchema } from './schema-parts.js';

const MOST_LEVELS = 8;

/**
 * The JSON text with which the form of a schema begins: its defaults, constants and required objects. Empty if a person has to give the
 * whole value.
 */
export function initialText(schema: unknown): string {
  return JSON.stringify(initialValue(schema, schema), null, 2) ?? '';
}

/** A value of a schema for a part that a person adds, as JSON text. */
export function newValueText(schema: unknown, root: unknown): string {
  return JSON.stringify(initialValue(schema, root) ?? emptyValue(schema, root), null, 2);
}

/** The value that a schema gives by itself; undefined if a person has to give it. */
function initialValue(schema: unknown, root: unknown, level = 0): unknown {
  const resolved = resolve(schema, root);
  if (!isSchema(resolved) || level > MOST_LEVELS) return undefined;
  if (Object.hasOwn(resolved, 'default')) return resolved['default'];
  const shape = shapeOf(resolved, root);
  if (shape.kind === 'constant') return shape.value;
  return shape.kind === 'object' ? initialObject(resolved, root, level) : undefined;
}

function initialObject(schema: Schema, root: unknown, level: number): object {
  const shape = shapeOf(schema, root);
  const properties = shape.kind === 'object' ? shape.properties : [];
  const entries = properties.flatMap(({ name, schema: each, isRequired }) => {
    const resolved = resolve(each, root);
    if (!isRequired && !(isSchema(resolved) && Object.hasOwn(resolved, 'default'))) return [];
    const value = initialValue(each, root, level + 1);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

function emptyValue(schema: unknown, root: unknown, level = 0): unknown {
  const shape = shapeOf(schema, root);
  switch (shape.kind) {
    case 'text':
      return '';
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'object':
      return {};
    case 'list':
      return [];
    case 'choice':
      return shape.choices[0]?.value ?? null;
    case 'union':
      return level > MOST_LEVELS ? null : emptyValue(shape.options[0]?.schema, root, level + 1);
    case 'constant':
      return shape.value;
    default:
      return null;
  }
}
