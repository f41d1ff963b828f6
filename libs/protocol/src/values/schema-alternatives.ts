import { isObject, own, type Json, type JsonSchema } from '@errand/contracts';

const TYPES = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'] as const;
export type JsonType = (typeof TYPES)[number];

/** One alternative of a schema. A schema with anyOf or oneOf has several. */
export interface Alternative {
  /** Undefined: any type. */
  types?: Set<JsonType>;
  allowed?: Json[];
  properties: Map<string, Json[]>;
  items?: Json;
  prefixItems?: Json[];
  additional?: Json;
  /** Whether the schema describes undeclared properties. */
  open: boolean;
  /** Whether the schema forbids undeclared properties. */
  closed: boolean;
}

/** Limits for schemas from outside (`tools` of a dry run), whose references can fan out or form cycles. */
const MAX_PARTS = 500;
const MAX_ALTERNATIVES = 64;

/** The alternatives of `schema`, which is a part of `root`, with `$ref`, `allOf`, `anyOf` and `oneOf` resolved. */
export function alternativesOf(schema: JsonSchema, root: JsonSchema): Alternative[] {
  return resolveAlternatives(schema, root, { parts: MAX_PARTS });
}

function resolveAlternatives(schema: JsonSchema, root: JsonSchema, budget: { parts: number }): Alternative[] {
  let found = [ownPart(schema)];
  if (budget.parts-- <= 0) return found;
  const into = (part: Json | undefined) => (isObject(part) ? resolveAlternatives(part, root, budget) : []);
  const both = (parts: Alternative[]) => {
    if (parts.length > 0) found = found.flatMap((a) => parts.map((b) => merge(a, b))).slice(0, MAX_ALTERNATIVES);
  };
  if (typeof schema.$ref === 'string') both(into(follow(schema.$ref, root)));
  for (const part of list(schema.allOf)) both(into(part));
  both(list(schema.anyOf).flatMap(into));
  both(list(schema.oneOf).flatMap(into));
  return found;
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** Follows a local JSON Pointer reference. Other references are never fetched and return undefined. */
function follow(reference: string, root: JsonSchema): Json | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at: Json | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    at = Array.isArray(at) ? at[Number(name)] : isObject(at) ? own(at, name) : undefined;
  }
  return at;
}

function ownPart(schema: JsonSchema): Alternative {
  const allowed = Array.isArray(schema.enum) ? schema.enum : schema.const !== undefined ? [schema.const] : undefined;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const types = typeof schema.type === 'string' ? [schema.type] : Array.isArray(schema.type) ? schema.type : undefined;
  return {
    ...(types && { types: new Set(types.filter(isType)) }),
    ...(allowed && { allowed }),
    properties: new Map(Object.entries(properties).map(([name, value]) => [name, [value]])),
    ...(schema.items !== undefined && { items: schema.items }),
    ...(Array.isArray(schema.prefixItems) && { prefixItems: schema.prefixItems }),
    ...(isObject(schema.additionalProperties) && { additional: schema.additionalProperties }),
    open: ['additionalProperties', 'patternProperties', 'unevaluatedProperties'].some((word) => word in schema),
    closed: schema.additionalProperties === false || schema.unevaluatedProperties === false,
  };
}

function merge(a: Alternative, b: Alternative): Alternative {
  const properties = new Map(a.properties);
  for (const [name, schemas] of b.properties) properties.set(name, [...(properties.get(name) ?? []), ...schemas]);
  const types = a.types && b.types ? common(a.types, b.types) : (a.types ?? b.types);
  return { ...a, ...b, ...(types && { types }), properties, open: a.open || b.open, closed: a.closed || b.closed };
}

function common(a: ReadonlySet<JsonType>, b: ReadonlySet<JsonType>): Set<JsonType> {
  return new Set([...a].filter((type) => b.has(type)));
}

/** The types that a schema implies without `type`. */
export function typesOf({ types, allowed, properties, items, prefixItems }: Alternative): Set<JsonType> | undefined {
  if (types) return types;
  if (allowed) return new Set(allowed.map(typeOf));
  if (properties.size > 0) return new Set(['object']);
  if (items !== undefined || prefixItems) return new Set(['array']);
  return undefined;
}

function typeOf(value: Json): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return isType(type) ? type : 'object';
}

function isType(word: unknown): word is JsonType {
  return TYPES.some((type) => type === word);
}
