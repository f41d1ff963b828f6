import { isObject, type Json, type JsonSchema } from '@errand/contracts';
import { addressOf, findResources, UnresolvedReference, type Resource } from '../files/find-resources.js';
import { NAMED_SCHEMAS, SCHEMAS } from './plain-schema.js';

/** The outermost resource for each dynamic anchor. The target of a `$dynamicRef` depends on the path to it. */
type Scope = ReadonlyMap<string, Resource>;

const SCHEMA_OF_SCHEMAS = 'https://json-schema.org/draft/2020-12/schema';
const ADDRESSES = ['$id', '$anchor', '$dynamicAnchor'];
/** Keywords whose values are data. Addresses in them are ignored. */
const DATA = ['const', 'enum', 'default', 'examples'];
const MAX_COPIES = 100;

/**
 * Removes addresses from a schema: `$id`, `$anchor` and `$dynamicAnchor` are dropped, and `$ref` and `$dynamicRef`
 * become a `$ref` with a JSON Pointer. A schema that is reached in several dynamic scopes gets a copy for each, under
 * `$defs`.
 * @throws UnresolvedReference
 * @throws Error if the scopes need too many copies
 */
export function resolveAddresses(schema: JsonSchema): JsonSchema {
  const { resources, root } = findResources(schema);
  return new Copier(resources, root).copyAll();
}

/** Copies resources, each once for every dynamic scope in which it is reached. */
class Copier {
  private readonly names = new Map<string, string>();
  private readonly open: { name: string; resource: Resource; scope: Scope }[] = [];

  constructor(
    private readonly resources: ReadonlyMap<string, Resource>,
    private readonly root: Resource,
  ) {}

  copyAll(): JsonSchema {
    const scope = enter(new Map(), this.root);
    this.names.set(keyOf(this.root, scope), '#');
    const whole = this.copy(this.root.schema, this.root, scope);
    const copies: JsonSchema = {};
    for (const { name, resource, scope: inside } of this.open)
      copies[name] = this.copy(resource.schema, resource, inside);
    return this.open.length === 0
      ? whole
      : { ...whole, $defs: { ...(isObject(whole.$defs) && whole.$defs), ...copies } };
  }

  private copy(schema: JsonSchema, around: Resource, outside: Scope): JsonSchema {
    const own = typeof schema.$id === 'string' ? this.resources.get(addressOf(schema.$id, around.uri).uri) : undefined;
    const resource = own ?? around;
    const scope = own ? enter(outside, own) : outside;
    const below = (value: Json): Json => (isObject(value) ? this.copy(value, resource, scope) : value);
    const entries = Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
      if (ADDRESSES.includes(keyword)) return [];
      if (keyword === '$ref' && typeof value === 'string') return [['$ref', this.follow(value, resource, scope)]];
      if (keyword === '$dynamicRef' && typeof value === 'string') {
        // Beside a `$ref`, it must be a separate schema.
        const target = this.followDynamic(value, resource, scope);
        return '$ref' in schema
          ? [['allOf', [...asList(schema.allOf).map(below), { $ref: target }]]]
          : [['$ref', target]];
      }
      if (SCHEMAS.includes(keyword)) return [[keyword, Array.isArray(value) ? value.map(below) : below(value)]];
      if (NAMED_SCHEMAS.includes(keyword) && isObject(value)) return [[keyword, mapValues(value, below)]];
      return [[keyword, DATA.includes(keyword) ? value : withoutAddresses(value)]];
    });
    return Object.fromEntries(entries);
  }

  private follow(reference: string, from: Resource, scope: Scope): string {
    const { uri, fragment } = addressOf(reference, from.uri);
    const resource = this.resources.get(uri);
    if (!resource && uri === SCHEMA_OF_SCHEMAS) return reference;
    const pointer = fragment === '' || fragment.startsWith('/') ? fragment : resource?.anchors.get(fragment);
    if (!resource || pointer === undefined) throw new UnresolvedReference(reference);
    return this.locationOf(resource, pointer, scope);
  }

  private followDynamic(reference: string, from: Resource, scope: Scope): string {
    const { uri, fragment } = addressOf(reference, from.uri);
    const isDynamic = this.resources.get(uri)?.dynamic.has(fragment) ?? false;
    const outermost = isDynamic ? scope.get(fragment) : undefined;
    const pointer = outermost?.dynamic.get(fragment);
    if (!outermost || pointer === undefined) return this.follow(reference, from, scope);
    return this.locationOf(outermost, pointer, scope);
  }

  /** The pointer to a part of a resource in the copy for a scope. A missing copy is made later. */
  private locationOf(resource: Resource, pointer: string, outside: Scope): string {
    const scope = enter(outside, resource);
    const key = keyOf(resource, scope);
    let location = this.names.get(key);
    if (location === undefined) {
      if (this.open.length === MAX_COPIES)
        throw new Error(`The $dynamicRef of the schema has more than ${MAX_COPIES} meanings`);
      const name = `resource ${this.open.length + 1}`;
      location = `#/$defs/${encodeURIComponent(name)}`;
      this.names.set(key, location);
      this.open.push({ name, resource, scope });
    }
    return `${location}${pointer.split('/').map(encodeURIComponent).join('/')}`;
  }
}

function enter(scope: Scope, resource: Resource): Scope {
  const added = [...resource.dynamic.keys()].filter((name) => !scope.has(name));
  return added.length === 0 ? scope : new Map([...scope, ...added.map((name) => [name, resource] as const)]);
}

function keyOf({ uri }: Resource, scope: Scope): string {
  const meanings = [...scope].map(([name, outermost]) => JSON.stringify([name, outermost.uri]));
  return JSON.stringify([uri, ...meanings.toSorted()]);
}

function withoutAddresses(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutAddresses);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !ADDRESSES.includes(key));
  return Object.fromEntries(entries.map(([key, child]) => [key, withoutAddresses(child)]));
}

function mapValues(bag: JsonSchema, map: (value: Json) => Json): JsonSchema {
  return Object.fromEntries(Object.entries(bag).map(([name, value]) => [name, map(value)]));
}

function asList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
