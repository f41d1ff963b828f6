import { isObject, type Json, type JsonSchema } from '@errand/contracts';
import { escapeKey } from './json-pointer.js';
import { NAMED_SCHEMAS, SCHEMAS } from '../schema/plain-schema.js';

/** A schema with its own address (`$id`), or the whole document. */
export interface Resource {
  uri: string;
  schema: JsonSchema;
  /** Pointers from the resource to its anchors; `dynamic` has only the dynamic ones. */
  anchors: Map<string, string>;
  dynamic: Map<string, string>;
}

/** A reference to a schema that does not exist. */
export class UnresolvedReference extends Error {
  constructor(readonly reference: string) {
    super(
      `The schema has no '${reference}'; references must stay inside it, such as #/$defs/name, because nothing is fetched`,
    );
  }
}

/** The base address of a document without one, for relative references. */
const ROOT = 'https://schema.invalid/';

/**
 * Finds all resources of a schema by address, and the one that is the schema itself.
 * @throws UnresolvedReference
 */
export function findResources(schema: JsonSchema): { resources: Map<string, Resource>; root: Resource } {
  const resources = new Map<string, Resource>();
  const root = collect(schema, newResource(ROOT, schema, resources), '', resources);
  return { resources, root };
}

function newResource(uri: string, schema: JsonSchema, resources: Map<string, Resource>): Resource {
  const resource = { uri, schema, anchors: new Map(), dynamic: new Map() };
  resources.set(uri, resource);
  return resource;
}

/** Finds the resources and anchors in a schema, and returns the resource of the schema itself. */
function collect(schema: JsonSchema, around: Resource, at: string, resources: Map<string, Resource>): Resource {
  const { $id, $anchor, $dynamicAnchor } = schema;
  const isResource = typeof $id === 'string';
  const resource = isResource ? newResource(addressOf($id, around.uri).uri, schema, resources) : around;
  const pointer = isResource ? '' : at;
  if (typeof $anchor === 'string') resource.anchors.set($anchor, pointer);
  if (typeof $dynamicAnchor === 'string') {
    resource.anchors.set($dynamicAnchor, pointer);
    resource.dynamic.set($dynamicAnchor, pointer);
  }
  for (const [path, child] of childrenOf(schema)) collect(child, resource, pointer + path, resources);
  return resource;
}

function* childrenOf(schema: JsonSchema): Generator<[path: string, child: JsonSchema]> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (SCHEMAS.includes(keyword) && isObject(value)) yield [`/${keyword}`, value];
    const nested = SCHEMAS.includes(keyword)
      ? Array.isArray(value)
      : NAMED_SCHEMAS.includes(keyword) && isObject(value);
    if (!nested) continue;
    for (const [name, child] of Object.entries(value as Json[] | JsonSchema)) {
      if (isObject(child)) yield [`/${keyword}/${escapeKey(name)}`, child];
    }
  }
}

/** An address without its fragment, and the fragment. */
export function addressOf(reference: string, base: string): { uri: string; fragment: string } {
  if (!URL.canParse(reference, base)) throw new UnresolvedReference(reference);
  const [uri = '', fragment = ''] = new URL(reference, base).href.split('#', 2);
  return { uri, fragment: decodeURIComponent(fragment) };
}
