import { isObject, own, type Json, type JsonSchema } from '@errand/contracts';
import { UnresolvedReference } from '../files/find-resources.js';
import { escapeKey, keysOf } from '../files/json-pointer.js';
import { ARRAY_KEYWORDS, unevaluatedItems } from './array-keywords.js';
import { GENERAL_KEYWORDS } from './general-keywords.js';
import {
  declaresAll,
  fillDefaults,
  OBJECT_KEYWORDS,
  undeclaredProperties,
  unevaluatedProperties,
} from './object-keywords.js';
import { NUMBER_KEYWORDS, STRING_KEYWORDS } from './scalar-keywords.js';
import {
  fail,
  VALUE_KINDS,
  type Check,
  type KeywordCompiler,
  type KeywordContext,
  type SchemaNode,
  type ValueKind,
} from './schema-node.js';

/** The keywords by the type of the checked value, in the order of the checks. */
const GROUPS: readonly { kind?: ValueKind; keywords: Readonly<Record<string, KeywordCompiler>> }[] = [
  { keywords: GENERAL_KEYWORDS },
  { kind: 'number', keywords: NUMBER_KEYWORDS },
  { kind: 'string', keywords: STRING_KEYWORDS },
  { kind: 'array', keywords: ARRAY_KEYWORDS },
  { kind: 'object', keywords: OBJECT_KEYWORDS },
];

/**
 * Compiles a schema and all schemas that it contains or refers to. References are JSON Pointers into the document, or
 * the address of a document in `others`. Linear in the size of the schema.
 * @throws UnresolvedReference
 */
export function compileNodes(
  document: JsonSchema | boolean,
  others: (address: string) => SchemaNode | undefined = () => undefined,
): SchemaNode {
  const nodes = new Map<string, SchemaNode>();

  function nodeOf(schema: Json, path: string): SchemaNode {
    const known = nodes.get(path);
    if (known) return known;
    if (!isObject(schema) && typeof schema !== 'boolean') throw new UnresolvedReference(`#${path}`);
    const node: SchemaNode = { schema, path, steps: 2, checks: noChecks(), unevaluated: noChecks(), parts: [] };
    nodes.set(path, node);
    if (schema === false) for (const kind of VALUE_KINDS) node.checks[kind].push(refuseAll(node));
    if (isObject(schema)) addChecks(node, schema);
    return node;
  }

  function addChecks(node: SchemaNode, schema: JsonSchema): void {
    node.steps += stepsOf(schema);
    const compile = (keyword: string, compiler: KeywordCompiler): Check[] => {
      const value = own(schema, keyword);
      return value === undefined ? [] : [compiler(contextOf(node, schema, keyword, value)) ?? []].flat();
    };
    const groups = GROUPS.map(({ kind, keywords }) => {
      const defaults = kind === 'object' ? [fillDefaults(schema.properties) ?? []].flat() : [];
      const checks = Object.entries(keywords).flatMap(([keyword, compiler]) => compile(keyword, compiler));
      return {
        kind,
        isUsed: Object.keys(keywords).some((keyword) => own(schema, keyword) !== undefined),
        checks: [...defaults, ...checks],
      };
    });
    const types = typesOf(schema);
    const single = types.length === 1 ? groups.find(({ kind, isUsed }) => isUsed && kind === types[0]) : undefined;
    for (const kind of VALUE_KINDS) {
      const typeCheck = checkType(node, types, kind);
      if (!single) node.checks[kind].push(...typeCheck);
      for (const group of groups) {
        if (group.kind === undefined || group.kind === kind) node.checks[kind].push(...group.checks);
        if (group === single) node.checks[kind].push(...typeCheck);
      }
    }
    node.unevaluated.array.push(...compile('unevaluatedItems', unevaluatedItems));
    const isAlone = declaresAll(schema);
    const rest = isAlone ? node.checks : node.unevaluated;
    rest.object.push(...compile('unevaluatedProperties', isAlone ? undeclaredProperties : unevaluatedProperties));
  }

  function contextOf(node: SchemaNode, schema: JsonSchema, keyword: string, value: Json): KeywordContext {
    const add = (part: SchemaNode) => {
      node.parts.push(part);
      return part;
    };
    return {
      keyword,
      value,
      schema,
      node,
      part: (child, ...keys) => add(nodeOf(child, locationOf(node.path, keyword, keys))),
      target: (reference) => add(follow(reference)),
    };
  }

  function follow(reference: string): SchemaNode {
    const other = reference.startsWith('#') ? undefined : others(reference);
    if (other) return other;
    const path = pathOf(reference);
    const target = keysOf(path).reduce<Json | undefined>(
      (at, key) => (Array.isArray(at) ? at[Number(key)] : isObject(at) ? own(at, key) : undefined),
      document,
    );
    if (!isObject(target) && typeof target !== 'boolean') throw new UnresolvedReference(reference);
    return nodeOf(target, path);
  }

  return nodeOf(document, '');
}

/** The path of a schema under a keyword. `..` leads to a sibling of the keyword. */
function locationOf(path: string, keyword: string, keys: readonly (string | number)[]): string {
  const [first, ...others] = keys;
  const steps = first === '..' ? others : [keyword, ...keys];
  return path + steps.map((key) => `/${escapeKey(String(key))}`).join('');
}

/** The JSON Pointer of a reference into the same document. */
function pathOf(reference: string): string {
  if (reference === '#' || reference === '#/') return '';
  if (!reference.startsWith('#/')) throw new UnresolvedReference(reference);
  try {
    return keysOf(decodeURIComponent(reference.slice(1)))
      .map((key) => `/${escapeKey(key)}`)
      .join('');
  } catch {
    throw new UnresolvedReference(reference);
  }
}

/** The steps of loops over lists of names, which also run for small values. */
function stepsOf({ properties, required }: JsonSchema): number {
  const count = [properties, required].reduce<number>(
    (sum, bag) => sum + (typeof bag === 'object' && bag !== null ? Object.keys(bag).length : 0),
    0,
  );
  return count >> 2;
}

function refuseAll(node: SchemaNode): Check {
  return (value, run) => fail({ keyword: 'false schema', node }, run, value, {}, 'boolean schema is false');
}

/** The allowed types. `nullable` is not in JSON Schema, but widely used. */
function typesOf({ type, nullable }: JsonSchema): string[] {
  const types = [type ?? []].flat().map(String);
  return nullable === true && types.length > 0 && !types.includes('null') ? [...types, 'null'] : types;
}

/** The check of `type` for values of one kind; empty if all of them have the type. */
function checkType(node: SchemaNode, types: readonly string[], kind: ValueKind): Check[] {
  if (types.length === 0 || types.includes(kind)) return [];
  const type = types.length === 1 ? types[0] : types;
  const mayBeInteger = kind === 'number' && types.includes('integer');
  return [
    (value, run) =>
      (mayBeInteger && Number.isInteger(value)) ||
      fail({ keyword: 'type', node }, run, value, { type }, `must be ${types.join(',')}`),
  ];
}

function noChecks(): Record<ValueKind, Check[]> {
  return { null: [], boolean: [], number: [], string: [], array: [], object: [] };
}
