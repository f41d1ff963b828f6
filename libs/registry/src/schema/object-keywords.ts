import { isObject, type Json, type JsonSchema } from '@errand/contracts';
import { linearPattern, type LinearPattern } from './linear-pattern.js';
import { evaluate, evaluateAt, evaluateBranch } from './evaluate.js';
import { all, asList, choiceByTag } from './general-keywords.js';
import { fail, ofKind, type Check, type KeywordCompiler, type KeywordContext, type SchemaNode } from './schema-node.js';
import type { ErrorParams } from './schema-error.js';
import type { ValidationRun } from './validation-run.js';

type Bag = Readonly<Record<string, unknown>>;

/** The keywords of objects, in the order in which they are checked. */
export const OBJECT_KEYWORDS: Readonly<Record<string, KeywordCompiler>> = {
  maxProperties: size('more', (count, bound) => count <= bound),
  minProperties: size('fewer', (count, bound) => count >= bound),
  required: (context) => {
    const names = asList(context.value).map(String);
    return ofObject((bag, run) => allPresent(names, bag, run, (name) => missing(context, run, bag, name, {})));
  },
  propertyNames: (context) => {
    const node = context.part(context.value);
    return ofObject((bag, run) => all(run.keysOf(bag), (name) => checkName(context, node, bag, name, run), run));
  },
  additionalProperties: (context) => undeclaredProperties(context),
  dependencies: (context) => {
    const checks = Object.entries(isObject(context.value) ? context.value : {}).map(([property, dependency]) =>
      Array.isArray(dependency)
        ? requires(context, property, dependency.map(String))
        : applies(context.part(dependency, property), property),
    );
    return (value, run, seen) => all(checks, (check) => check(value, run, seen), run);
  },
  properties: (context) => {
    const nodes = Object.entries(isObject(context.value) ? context.value : {}).map(
      ([name, schema]) => [name, context.part(schema, name)] as const,
    );
    return ofObject((bag, run, seen) => {
      let fits = true;
      for (const [name, node] of nodes) {
        if (!has(bag, name)) continue;
        seen?.addName(name);
        if (evaluateAt(node, name, bag[name], run)) continue;
        if (!run.collects) return false;
        fits = false;
      }
      return fits;
    });
  },
  patternProperties: (context) => {
    const nodes = Object.entries(isObject(context.value) ? context.value : {}).map(
      ([pattern, schema]) => [linearPattern(pattern), context.part(schema, pattern)] as const,
    );
    return ofObject((bag, run, seen) => {
      const names = run.keysOf(bag);
      return all(
        nodes,
        ([pattern, node]) =>
          all(
            names,
            (name) => {
              if (!matches(pattern, name, run)) return true;
              seen?.addName(name);
              return evaluateAt(node, name, bag[name], run);
            },
            run,
          ),
        run,
      );
    });
  },
  dependentRequired: (context) => {
    const checks = Object.entries(isObject(context.value) ? context.value : {}).map(([property, names]) =>
      requires(context, property, asList(names).map(String)),
    );
    return (value, run, seen) => all(checks, (check) => check(value, run, seen), run);
  },
  dependentSchemas: (context) => {
    const checks = Object.entries(isObject(context.value) ? context.value : {}).map(([property, schema]) =>
      applies(context.part(schema, property), property),
    );
    return (value, run, seen) => all(checks, (check) => check(value, run, seen), run);
  },
  discriminator: (context) => {
    const choice = choiceByTag(context);
    if (!choice) return undefined;
    const nodes = asList(context.schema.oneOf).map((branch, index) => context.part(branch, '..', 'oneOf', index));
    const { tag, branches } = choice;
    return ofObject((bag, run, seen) => {
      const tagValue = has(bag, tag) ? bag[tag] : undefined;
      const branch = nodes[branches.get(String(tagValue)) ?? -1];
      if (branch && typeof tagValue === 'string') return evaluate(branch, bag, run, seen);
      return fail(context, run, bag, { tag, tagValue }, `value of tag "${tag}" must be in oneOf`);
    });
  },
};

/** Keywords whose schemas apply to the properties of the same object. */
const IN_PLACE = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'dependencies', 'additionalProperties'];

/** Runs after all other checks of the schema, because it uses their evaluated properties. */
export const unevaluatedProperties: KeywordCompiler = (context) => {
  const node = context.part(context.value);
  return ofObject((bag, run, seen) => {
    const open = run.keysOf(bag).filter((name) => !seen?.hasName(name));
    seen?.addAllNames();
    return checkOpen(context, node, bag, open, run);
  });
};

/** Whether a schema evaluates only the properties that it declares itself. */
export function declaresAll(schema: JsonSchema): boolean {
  return !IN_PLACE.some((keyword) => Object.hasOwn(schema, keyword));
}

/** Checks the properties that neither `properties` nor `patternProperties` declares. */
export function undeclaredProperties(context: KeywordContext): Check {
  const isDeclared = declaredBy(context);
  const node = context.part(context.value);
  return ofObject((bag, run, seen) => {
    const open = run.keysOf(bag).filter((name) => !isDeclared(name, run));
    seen?.addAllNames();
    return open.length === 0 || checkOpen(context, node, bag, open, run);
  });
}

/** Fills in the defaults of properties that are missing, in place. */
export function fillDefaults(properties: Json | undefined): Check | undefined {
  const defaults = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) =>
    isObject(schema) && schema.default !== undefined ? [{ name, ...copies(schema.default) }] : [],
  );
  if (defaults.length === 0) return undefined;
  return ofObject((bag, run) => {
    if (!run.fills) return true;
    for (const { name, length, copy } of defaults) {
      if (has(bag, name)) continue;
      run.take(length >> 4);
      run.fill(bag, name, copy());
    }
    return true;
  });
}

/** Copies a default, because its receiver may change it. */
function copies(value: Json): { length: number; copy: () => Json } {
  const text = JSON.stringify(value);
  const isScalar = typeof value !== 'object' || value === null;
  return { length: text.length, copy: isScalar ? () => value : () => JSON.parse(text) };
}

function ofObject(check: Check<Bag>): Check {
  return ofKind(check);
}

function has(bag: Bag, name: string): boolean {
  return Object.hasOwn(bag, name) && bag[name] !== undefined;
}

function matches(pattern: LinearPattern, name: string, run: ValidationRun): boolean {
  run.take(pattern.stepsFor(name));
  return pattern.test(name);
}

function size(word: string, fits: (count: number, bound: number) => boolean): KeywordCompiler {
  return (context) => {
    const { value: bound } = context;
    if (typeof bound !== 'number') return undefined;
    const message = `must NOT have ${word} than ${bound} properties`;
    return ofObject(
      (bag, run) => fits(run.keysOf(bag).length, bound) || fail(context, run, bag, { limit: bound }, message),
    );
  };
}

/** Whether `properties` or `patternProperties` beside a keyword declare a name. */
function declaredBy({ schema }: KeywordContext): (name: string, run: ValidationRun) => boolean {
  const names = new Set(isObject(schema.properties) ? Object.keys(schema.properties) : []);
  const patterns = Object.keys(isObject(schema.patternProperties) ? schema.patternProperties : {}).map(linearPattern);
  return (name, run) => names.has(name) || patterns.some((pattern) => matches(pattern, name, run));
}

/** Checks undeclared properties. With `false`, each of them is an error of the object. */
function checkOpen(
  context: KeywordContext,
  node: SchemaNode,
  bag: Bag,
  names: readonly string[],
  run: ValidationRun,
): boolean {
  const isAdditional = context.keyword === 'additionalProperties';
  const message = `must NOT have ${isAdditional ? 'additional' : 'unevaluated'} properties`;
  const params = (name: string) => (isAdditional ? { additionalProperty: name } : { unevaluatedProperty: name });
  return all(
    names,
    (name) =>
      context.value === false ? fail(context, run, bag, params(name), message) : evaluateAt(node, name, bag[name], run),
    run,
  );
}

function checkName(context: KeywordContext, node: SchemaNode, bag: Bag, name: string, run: ValidationRun): boolean {
  const before = run.propertyName;
  run.propertyName = name;
  const fits = evaluateBranch(node, name, run, undefined);
  run.propertyName = before;
  return fits || fail(context, run, bag, { propertyName: name }, 'property name must be valid');
}

function allPresent(names: readonly string[], bag: Bag, run: ValidationRun, miss: (name: string) => false): boolean {
  return all(names, (name) => has(bag, name) || miss(name), run);
}

function missing(
  context: KeywordContext,
  run: ValidationRun,
  bag: Bag,
  missingProperty: string,
  more: ErrorParams,
): false {
  return fail(context, run, bag, { ...more, missingProperty }, `must have required property '${missingProperty}'`);
}

function requires(context: KeywordContext, property: string, names: readonly string[]): Check {
  return ofObject(
    (bag, run) =>
      !has(bag, property) || allPresent(names, bag, run, (name) => missing(context, run, bag, name, { property })),
  );
}

function applies(node: SchemaNode, property: string): Check {
  return ofObject((bag, run, seen) => !has(bag, property) || evaluate(node, bag, run, seen));
}
