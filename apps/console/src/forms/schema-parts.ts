/** A JSON Schema as the API sends it. Its keys are read as own properties only. */
export type Schema = Readonly<Record<string, unknown>>;

/** What a form draws for a schema. */
export type Shape =
  | { kind: 'text' | 'number' | 'integer' | 'boolean' | 'null' }
  | { kind: 'choice'; choices: readonly Choice[] }
  | { kind: 'constant'; value: unknown }
  | { kind: 'object'; properties: readonly Property[]; others: Schema | boolean | undefined }
  | { kind: 'list'; items: unknown; isBounded: boolean }
  | { kind: 'union'; options: readonly UnionOption[] }
  | { kind: 'json'; reason: string };

export interface Choice {
  value: unknown;
  label: string;
}

export interface Property {
  name: string;
  schema: unknown;
  isRequired: boolean;
}

export interface UnionOption {
  label: string;
  schema: unknown;
}

const MOST_REFERENCES = 50;
const MOST_CHOICES = 500;

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value of a schema; undefined if the schema does not have the key itself. */
export function partOf(schema: unknown, key: string): unknown {
  return isSchema(schema) && Object.hasOwn(schema, key) ? schema[key] : undefined;
}

export function textOf(schema: unknown, key: string): string | undefined {
  const value = partOf(schema, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function listOf(schema: unknown, key: string): readonly unknown[] | undefined {
  const value = partOf(schema, key);
  return Array.isArray(value) && value.length > 0 ? (value as unknown[]) : undefined;
}

/**
 * The schema without `$ref` and `allOf`, as far as they can be followed within the root. Undefined if a reference leads nowhere or in a
 * circle.
 */
export function resolve(schema: unknown, root: unknown, left = MOST_REFERENCES): unknown {
  if (!isSchema(schema)) return schema;
  if (left === 0) return undefined;
  const reference = partOf(schema, '$ref');
  if (reference !== undefined) {
    const { $ref: _, ...beside } = schema;
    const target = resolve(targetOf(reference, root), root, left - 1);
    if (target === undefined) return undefined;
    return isSchema(target) ? merge(target, beside) : target;
  }
  const all = listOf(schema, 'allOf');
  if (!all) return schema;
  const { allOf: _, ...own } = schema;
  let merged: Schema = own;
  for (const part of all) {
    const resolved = resolve(part, root, left - 1);
    if (resolved === undefined) return undefined;
    if (isSchema(resolved)) merged = merge(resolved, merged);
  }
  return merged;
}

/** What `#/$defs/name` and the like name. */
function targetOf(reference: unknown, root: unknown): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return findAnchor(root, reference.slice(1));
  let target = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
    target = Array.isArray(target) ? (target as unknown[])[Number(key)] : partOf(target, key);
  }
  return target;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function findAnchor(root: unknown, anchor: string): unknown {
  const definitions = partOf(root, '$defs');
  return isSchema(definitions)
    ? Object.values(definitions).find((each) => partOf(each, '$anchor') === anchor)
    : undefined;
}

/** Both schemas in one: properties and required names of both, else the value of the second. */
function merge(one: Schema, other: Schema): Schema {
  const entries = new Map<string, unknown>([...Object.entries(one), ...Object.entries(other)]);
  const [first, second] = [partOf(one, 'properties'), partOf(other, 'properties')];
  if (isSchema(first) && isSchema(second))
    entries.set('properties', Object.fromEntries([...Object.entries(first), ...Object.entries(second)]));
  const required = [...(listOf(one, 'required') ?? []), ...(listOf(other, 'required') ?? [])];
  if (required.length > 0) entries.set('required', required);
  return Object.fromEntries(entries);
}

/** What a form draws for a schema, whose `$ref` and `allOf` are followed. */
export function shapeOf(schema: unknown, root: unknown): Shape {
  const resolved = resolve(schema, root);
  if (resolved === undefined) return { kind: 'json', reason: 'its $ref cannot be followed' };
  if (!isSchema(resolved)) return { kind: 'json', reason: 'its schema allows any value' };
  if (Object.hasOwn(resolved, 'const')) return { kind: 'constant', value: resolved['const'] };
  const choices = choicesOf(resolved, root);
  if (choices) return { kind: 'choice', choices };
  const options = listOf(resolved, 'oneOf') ?? listOf(resolved, 'anyOf');
  if (options) return unionOf(resolved, options, root);
  return shapeOfType(resolved);
}

function choicesOf(schema: Schema, root: unknown): Choice[] | undefined {
  const values = listOf(schema, 'enum');
  if (values)
    return values.length > MOST_CHOICES ? undefined : values.map((value) => ({ value, label: labelOf(value) }));
  const options = (listOf(schema, 'oneOf') ?? listOf(schema, 'anyOf'))?.map((option) => resolve(option, root));
  if (!options?.every((option) => isSchema(option) && Object.hasOwn(option, 'const'))) return undefined;
  return options.map((option) => {
    const value = partOf(option, 'const');
    return { value, label: textOf(option, 'title') ?? labelOf(value) };
  });
}

function labelOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Each option has what the schema says beside them. */
function unionOf(schema: Schema, options: readonly unknown[], root: unknown): Shape {
  const { oneOf: _, anyOf: __, title: ___, description: ____, default: _____, ...beside } = schema;
  return {
    kind: 'union',
    options: options.map((option, index) => {
      const resolved = resolve(option, root);
      const type = partOf(resolved, 'type');
      const label = textOf(resolved, 'title') ?? (typeof type === 'string' ? type : `Option ${index + 1}`);
      return { label, schema: isSchema(resolved) ? merge(beside, resolved) : (resolved ?? option) };
    }),
  };
}

function shapeOfType(schema: Schema): Shape {
  const type = partOf(schema, 'type');
  if (Array.isArray(type)) {
    const options = (type as unknown[]).map((each) => ({ label: String(each), schema: { ...schema, type: each } }));
    return options.length === 1 && options[0] ? shapeOfType(options[0].schema) : { kind: 'union', options };
  }
  switch (type ?? (Object.hasOwn(schema, 'properties') ? 'object' : undefined)) {
    case 'string':
      return { kind: 'text' };
    case 'number':
      return { kind: 'number' };
    case 'integer':
      return { kind: 'integer' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'null':
      return { kind: 'null' };
    case 'object':
      return objectShape(schema);
    case 'array':
      return listShape(schema);
    default:
      return { kind: 'json', reason: 'its schema names no type' };
  }
}

function objectShape(schema: Schema): Shape {
  const properties = partOf(schema, 'properties');
  const required = new Set(listOf(schema, 'required'));
  const others = partOf(schema, 'additionalProperties');
  const known = isSchema(properties) ? Object.entries(properties) : [];
  return {
    kind: 'object',
    properties: known.map(([name, each]) => ({ name, schema: each, isRequired: required.has(name) })),
    others: isSchema(others) || typeof others === 'boolean' ? others : undefined,
  };
}

function listShape(schema: Schema): Shape {
  if (partOf(schema, 'prefixItems') !== undefined) return { kind: 'json', reason: 'its items have different schemas' };
  const items = partOf(schema, 'items');
  if (items === undefined || items === true) return { kind: 'json', reason: 'its items may be any values' };
  return { kind: 'list', items, isBounded: partOf(schema, 'maxItems') !== undefined };
}
