import type { Json, JsonSchema } from '@errand/contracts';
import type { Evaluated } from './evaluated.js';
import type { ErrorParams, SchemaError } from './schema-error.js';
import type { ValidationRun } from './validation-run.js';

/**
 * Checks one keyword and reports errors to the run. `seen` records the evaluated properties and items, if the caller
 * needs them.
 */
export type Check<Value = unknown> = (value: Value, run: ValidationRun, seen: Evaluated | undefined) => boolean;

/** Wraps a check in the group of one kind, which gets only values of that kind. */
export function ofKind<Value>(check: Check<Value>): Check {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return check as Check;
}

export const VALUE_KINDS = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

export function kindOf(value: unknown): ValueKind {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (Array.isArray(value)) return 'array';
  return value === null || value === undefined ? 'null' : 'object';
}

/** A schema, ready to run. */
export interface SchemaNode {
  schema: JsonSchema | boolean;
  /** Its path in the document: a JSON Pointer after `#`. */
  path: string;
  /** The cost of one evaluation in steps, without loops over the value and without other nodes. */
  steps: number;
  /** The checks for each kind of value, in order. */
  checks: Record<ValueKind, Check[]>;
  /** The checks that run last, with the evaluated properties and items of the other checks. */
  unevaluated: Record<ValueKind, Check[]>;
  /** The schemas that it contains or refers to. */
  parts: SchemaNode[];
}

/** The input of the compiler of a keyword. */
export interface KeywordContext {
  keyword: string;
  value: Json;
  schema: JsonSchema;
  node: SchemaNode;
  /** The node of a schema under this keyword, with `keys` as its path. */
  part(schema: Json, ...keys: (string | number)[]): SchemaNode;
  /** The target node of a `$ref`. */
  target(reference: string): SchemaNode;
}

/** Makes the check of a keyword; undefined if its value is ignored. */
export type KeywordCompiler = (context: KeywordContext) => Check | undefined;

/** Reports an error of a keyword, and returns false. */
export function fail(
  { keyword, node: { schema, path } }: Pick<KeywordContext, 'keyword' | 'node'>,
  run: ValidationRun,
  data: unknown,
  params: ErrorParams,
  message: string,
  branches?: SchemaError['branches'],
): false {
  if (!run.takesError()) return false;
  const { propertyName } = run;
  run.report({
    keyword,
    instancePath: run.pointer(),
    schemaPath: `#${path}/${keyword}`,
    params,
    schema: typeof schema === 'boolean' ? schema : schema[keyword],
    parentSchema: schema,
    data,
    message,
    ...(branches && { branches }),
    ...(propertyName !== undefined && { propertyName }),
  });
  return false;
}
