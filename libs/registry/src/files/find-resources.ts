import { isObject, type Json, type JsonSchema } from '@errand/contracts';
import { escapeKey } from './json-pointer.js';
import { NAMED_SCHEMAS, SCHEMAS } from '../schema/plain-schema.js';

/** A schema with an address of its own (`$id`), or the whole. */
export interface Resource {
  uri: string;
  schema: JsonSchema;
  /** Pointers from the resource to its anchors; those that are dynamic also by themselves. */
  anchors: Map<string, string>;
  dynamic: Map<string, string>;
}

/** A reference to what is not there. */
export class UnresolvedReference extends Error {
  constructor(readonly reference: string) {
    super(
      `There is no '${reference}' in this schema; references must stay inside it, as #/$defs/name, for nothing is fetched`,
    );
  }
}

/** What a schema without an address is called, where another in it is called in relation to it. */
const ROOT = 'https://schema.invalid/';

/** All that can be referred to in a schema, by address, and which of it the schema itself is. @throws UnresolvedReference */
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

/** Finds the resources and anchors in a schema, and gives the resource that it is itself. */
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
