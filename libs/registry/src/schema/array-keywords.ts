import { evaluateAt, evaluateBranch } from './evaluate.js';
import { findEqualItems } from './equal-items.js';
import { asList } from './general-keywords.js';
import { fail, ofKind, type Check, type KeywordCompiler, type KeywordContext, type SchemaNode } from './schema-node.js';
import type { ValidationRun } from './validation-run.js';

type List = readonly unknown[];

/** The keywords of lists, in the order in which they are checked. */
export const ARRAY_KEYWORDS: Readonly<Record<string, KeywordCompiler>> = {
  maxItems: size('more', (count, bound) => count <= bound),
  minItems: size('fewer', (count, bound) => count >= bound),
  prefixItems: (context) => {
    const nodes = asList(context.value).map((schema, index) => context.part(schema, index));
    return ofList((list, run, seen) => {
      seen?.addItems(nodes.length);
      let fits = true;
      for (const [index, node] of nodes.entries()) {
        if (index >= list.length || evaluateAt(node, index, list[index], run)) continue;
        if (!run.collects) return false;
        fits = false;
      }
      return fits;
    });
  },
  items: (context) => {
    const start = asList(context.schema.prefixItems).length;
    if (context.value === false && start > 0) return atMost(context, start);
    const node = context.part(context.value);
    return ofList((list, run, seen) => {
      seen?.addItems(list.length);
      let fits = true;
      for (let index = start; index < list.length; index++) {
        if (evaluateAt(node, index, list[index], run)) continue;
        if (!run.collects) return false;
        fits = false;
      }
      return fits;
    });
  },
  contains: (context) => {
    const { schema } = context;
    const node = context.part(context.value);
    const min = typeof schema.minContains === 'number' ? schema.minContains : 1;
    const max = typeof schema.maxContains === 'number' ? schema.maxContains : Infinity;
    return ofList((list, run, seen) => {
      const before = run.errors.length;
      let count = 0;
      for (const [index, item] of list.entries()) {
        if (count > max || (max === Infinity && count >= min && !seen)) break;
        if (!containsAt(node, index, item, run)) continue;
        count++;
        seen?.addIndex(index);
      }
      if (count < min || count > max)
        return fail(context, run, list, { minContains: min, maxContains: max }, atLeast(min, max));
      run.errors.length = before;
      return true;
    });
  },
  uniqueItems: (context) =>
    context.value === true ? ofList((list, run) => checkUnique(context, list, run)) : undefined,
};

export const unevaluatedItems: KeywordCompiler = (context) => {
  const node = context.part(context.value);
  return ofList((list, run, seen) => {
    run.take(list.length >> 2);
    let fits = true;
    for (let index = 0; index < list.length; index++) {
      if (seen?.hasIndex(index)) continue;
      if (context.value === false) {
        return fail(context, run, list, { limit: index }, `must NOT have more than ${index} items`);
      }
      if (evaluateAt(node, index, list[index], run)) continue;
      if (!run.collects) return false;
      fits = false;
    }
    seen?.addItems(list.length);
    return fits;
  });
};

function ofList(check: Check<List>): Check {
  return ofKind(check);
}

function size(word: string, fits: (count: number, bound: number) => boolean): KeywordCompiler {
  return (context) => {
    const { value: bound } = context;
    if (typeof bound !== 'number') return undefined;
    const message = `must NOT have ${word} than ${bound} items`;
    return ofList((list, run) => fits(list.length, bound) || fail(context, run, list, { limit: bound }, message));
  };
}

function atMost(context: KeywordContext, limit: number): Check {
  const message = `must NOT have more than ${limit} items`;
  return ofList((list, run) => list.length <= limit || fail(context, run, list, { limit }, message));
}

function containsAt(node: SchemaNode, index: number, item: unknown, run: ValidationRun): boolean {
  run.enter(index);
  const fits = evaluateBranch(node, item, run, undefined);
  run.leave();
  return fits;
}

function atLeast(min: number, max: number): string {
  return `must contain at least ${min}${max === Infinity ? '' : ` and no more than ${max}`} valid item(s)`;
}

function checkUnique(context: KeywordContext, list: List, run: ValidationRun): boolean {
  const pair = findEqualItems(list, run);
  if (!pair) return true;
  const [j, i] = pair;
  const message = `must NOT have duplicate items (items ## ${j} and ${i} are identical)`;
  return fail(context, run, list, { i, j }, message);
}
