import { isObject, own, type Json, type JsonSchema } from '@errand/contracts';

const TYPES = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'] as const;
export type JsonType = (typeof TYPES)[number];

/** One alternative of a schema. A schema with anyOf or oneOf has several. */
interface Alternative {
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

/** The parts of a schema that reading a text needs, with `$ref`, `allOf`, `anyOf` and `oneOf` resolved. */
export interface Shape {
  /** All types that a value may have; undefined if the schema sets none. */
  types?: Set<JsonType>;
  /** The names that the schema declares. */
  names: string[];
  /**
   * Whether the schema declares some properties and describes no others. JSON Schema accepts the others, but a name may
   * be misspelt.
   */
  silent: boolean;
  /** Whether a value may be an object with properties of any name. */
  isOpenObject: boolean;
  /** Whether `enum` and `const` allow a value of this type. */
  allows(type: JsonType, value: Json): boolean;
  /** The schema of a property, also by `additionalProperties`; undefined if the schema does not describe it. */
  property(name: string): Json | undefined;
  /** The schema of a list element. */
  item(index: number): Json | undefined;
}

/** A shape whose schema sets the types. */
export type TypedShape = Shape & { types: Set<JsonType> };

export function isTyped(shape: Shape): shape is TypedShape {
  return shape.types !== undefined;
}

/** Limits for schemas from outside (`tools` of a dry run), whose references can fan out or form cycles. */
const MAX_PARTS = 500;
const MAX_ALTERNATIVES = 64;
const known = new WeakMap<JsonSchema, WeakMap<object, Shape>>();
const ANYTHING: Shape = summarize([{ properties: new Map(), open: true, closed: false }]);

/**
 * The shape of `schema`, which is a part of `root`. Local references are resolved against `root`. Cached by identity.
 */
export function shapeOf(schema: Json | undefined, root: JsonSchema): Shape {
  if (!isObject(schema)) return ANYTHING;
  const ofRoot = known.get(root) ?? new WeakMap<object, Shape>();
  known.set(root, ofRoot);
  const shape = ofRoot.get(schema) ?? summarize(alternativesOf(schema, root, { parts: MAX_PARTS }));
  ofRoot.set(schema, shape);
  return shape;
}

function alternativesOf(schema: JsonSchema, root: JsonSchema, budget: { parts: number }): Alternative[] {
  let found = [ownPart(schema)];
  if (budget.parts-- <= 0) return found;
  const into = (part: Json | undefined) => (isObject(part) ? alternativesOf(part, root, budget) : []);
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
function typesOf({ types, allowed, properties, items, prefixItems }: Alternative): Set<JsonType> | undefined {
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

function summarize(alternatives: Alternative[]): Shape {
  const types = new Set<JsonType>();
  let untyped = false;
  for (const alternative of alternatives) {
    const its = typesOf(alternative);
    if (its) for (const type of its) types.add(type);
    else untyped = true;
  }
  return {
    ...(!untyped && { types }),
    silent: alternatives.some(({ properties }) => properties.size > 0) && !alternatives.some(({ open }) => open),
    isOpenObject: isOpenObject(alternatives, untyped ? undefined : types),
    names: [...new Set(alternatives.flatMap(({ properties }) => [...properties.keys()]))],
    allows: (type, value) =>
      alternatives.some((one) => (typesOf(one)?.has(type) ?? true) && (!one.allowed || one.allowed.includes(value))),
    property: cachedByName((name: string) => {
      const declared = new Set(alternatives.flatMap(({ properties }) => properties.get(name) ?? []));
      return oneSchema([...declared]) ?? alternatives.find(({ additional }) => additional !== undefined)?.additional;
    }),
    item: (index) => {
      const listed = alternatives.find(({ items, prefixItems }) => items !== undefined || prefixItems);
      return listed?.prefixItems?.[index] ?? listed?.items;
    },
  };
}

/** A value that may also be a text does not become an object because of its attributes. */
function isOpenObject(alternatives: readonly Alternative[], types: ReadonlySet<JsonType> | undefined): boolean {
  if (types && (!types.has('object') || types.has('string'))) return false;
  return alternatives.some(({ properties, open, closed }) => !closed && (open || properties.size === 0));
}

function oneSchema(schemas: Json[]): Json | undefined {
  return schemas.length > 1 ? { anyOf: schemas } : schemas[0];
}

/** Caches joined schemas, so that `shapeOf` can cache their shapes by identity. */
function cachedByName(lookUp: (name: string) => Json | undefined): (name: string) => Json | undefined {
  const found = new Map<string, Json | undefined>();
  return (name) => {
    if (!found.has(name) && found.size < 1_000) found.set(name, lookUp(name));
    return found.has(name) ? found.get(name) : lookUp(name);
  };
}
