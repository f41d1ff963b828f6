import { isObject, type Json, type JsonSchema } from '@errand/contracts';
import { alternativesOf, typesOf, type Alternative, type JsonType } from './schema-alternatives.js';

/** A part of a schema and its shape, which is made when it is first used. */
interface Part {
  schema: Json | undefined;
  shape: Shape | undefined;
}

/**
 * The parts of a schema that reading a text needs. It is made once for each schema of a tool, and remembers the shapes of
 * its properties, so that reading a call only looks them up.
 */
export class Shape {
  /** All types that a value may have; undefined if the schema sets none. */
  readonly types: ReadonlySet<JsonType> | undefined;
  /** Whether the only type is `string`. */
  readonly isText: boolean;
  /** The names that the schema declares. */
  readonly names: readonly string[];
  /**
   * Whether the schema declares some properties and describes no others. JSON Schema accepts the others, but a name may
   * be misspelt.
   */
  readonly silent: boolean;
  /** Whether a value may be an object with properties of any name. */
  readonly isOpenObject: boolean;
  private readonly declared: ReadonlySet<string>;
  private readonly described = new Map<string, Part>();
  private undeclared: Part | undefined;
  /** The alternative that describes list elements. */
  private readonly list: Alternative | undefined;
  private shapeOfItems: Shape | undefined;

  constructor(
    private readonly alternatives: readonly Alternative[],
    private readonly root: JsonSchema,
  ) {
    this.types = typesOfAll(alternatives);
    this.isText = this.types?.size === 1 && this.types.has('string');
    this.declared = new Set(alternatives.flatMap(({ properties }) => [...properties.keys()]));
    this.names = [...this.declared];
    this.silent = this.names.length > 0 && !alternatives.some(({ open }) => open);
    this.isOpenObject = isOpenObject(alternatives, this.types);
    this.list = alternatives.find(({ items, prefixItems }) => items !== undefined || prefixItems);
  }

  /** Whether `enum` and `const` allow a value of this type. */
  allows(type: JsonType, value: Json): boolean {
    return this.alternatives.some(
      (one) => (typesOf(one)?.has(type) ?? true) && (!one.allowed || one.allowed.includes(value)),
    );
  }

  /** The schema of a property, also by `additionalProperties`; undefined if the schema does not describe it. */
  property(name: string): Json | undefined {
    return this.partOf(name).schema;
  }

  /** The shape of a property. A property without a schema may have any value. */
  shapeOfProperty(name: string): Shape {
    const part = this.partOf(name);
    return (part.shape ??= shapeOf(part.schema, this.root));
  }

  /** The schema of a list element. */
  item(index: number): Json | undefined {
    return this.list?.prefixItems?.[index] ?? this.list?.items;
  }

  /** The shape of a list element. */
  shapeOfItem(index: number): Shape {
    if (this.list?.prefixItems) return shapeOf(this.item(index), this.root);
    return (this.shapeOfItems ??= shapeOf(this.list?.items, this.root));
  }

  private partOf(name: string): Part {
    const known = this.described.get(name);
    if (known) return known;
    if (!this.declared.has(name)) return (this.undeclared ??= { schema: this.additional, shape: undefined });
    const schemas = new Set(this.alternatives.flatMap(({ properties }) => properties.get(name) ?? []));
    const part = { schema: oneSchema([...schemas]) ?? this.additional, shape: undefined };
    this.described.set(name, part);
    return part;
  }

  private get additional(): Json | undefined {
    return this.alternatives.find(({ additional }) => additional !== undefined)?.additional;
  }
}

/** A shape whose schema sets the types. */
export type TypedShape = Shape & { readonly types: ReadonlySet<JsonType> };

export function isTyped(shape: Shape): shape is TypedShape {
  return shape.types !== undefined;
}

const known = new WeakMap<JsonSchema, WeakMap<object, Shape>>();
/** The shape of a value that no schema describes. */
export const ANYTHING = new Shape([{ properties: new Map(), open: true, closed: false }], {});

/**
 * The shape of `schema`, which is a part of `root`. Local references are resolved against `root`. Cached by identity.
 */
export function shapeOf(schema: Json | undefined, root: JsonSchema): Shape {
  if (!isObject(schema)) return ANYTHING;
  let ofRoot = known.get(root);
  if (!ofRoot) known.set(root, (ofRoot = new WeakMap()));
  let shape = ofRoot.get(schema);
  if (!shape) ofRoot.set(schema, (shape = new Shape(alternativesOf(schema, root), root)));
  return shape;
}

/** Undefined if one of the alternatives accepts any type. */
function typesOfAll(alternatives: readonly Alternative[]): Set<JsonType> | undefined {
  const types = new Set<JsonType>();
  for (const alternative of alternatives) {
    const its = typesOf(alternative);
    if (!its) return undefined;
    for (const type of its) types.add(type);
  }
  return types;
}

/** A value that may also be a text does not become an object because of its attributes. */
function isOpenObject(alternatives: readonly Alternative[], types: ReadonlySet<JsonType> | undefined): boolean {
  if (types && (!types.has('object') || types.has('string'))) return false;
  return alternatives.some(({ properties, open, closed }) => !closed && (open || properties.size === 0));
}

function oneSchema(schemas: Json[]): Json | undefined {
  return schemas.length > 1 ? { anyOf: schemas } : schemas[0];
}
