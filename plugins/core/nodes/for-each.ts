import { ToolError, toFailure, type Json, type NodeContext } from '@errand/contracts';
import { defineNode } from './define-node.js';
import { oneOf } from './one-of.js';

const MAX_ITEMS = 10_000;
const MAX_CONCURRENCY = 100;

/** The result of an item whose workflow failed; undefined leaves the item out. */
const ON_ITEM_ERROR: Record<string, (failure: ToolError) => Json | undefined> = {
  fail: (failure) => {
    throw failure;
  },
  null: () => null,
  skip: () => undefined,
};

export const forEach = defineNode({
  type: 'core:forEach',
  displayName: 'For each',
  effects: 'none',
  description:
    "Runs a workflow for each item of a list, several at a time, and returns the list of results in the order of the items. The workflow gets the inputs 'item' and 'index' (from 0).",
  inputs: {
    items: { dataFlowType: 'ARRAY', required: true, description: `The list, of at most ${MAX_ITEMS} items` },
    workflowId: { dataFlowType: 'STRING', required: true, description: 'The id of the workflow to run for each item' },
    concurrency: {
      dataFlowType: 'INTEGER',
      description: 'The number of concurrent runs',
      config: { default: 4 },
      min: 1,
      max: MAX_CONCURRENCY,
    },
    inputs: {
      dataFlowType: 'OBJECT',
      description: 'Other inputs of the workflow, the same for each item',
      config: { default: {} },
    },
    onItemError: {
      dataFlowType: 'STRING',
      description: 'The effect of a failed item: fail the node, null in place of the result, or skip the item',
      matchCategories: ['ComboOption'],
      config: { default: 'fail', suggestions: Object.keys(ON_ITEM_ERROR) },
    },
  },
  outputs: { results: { dataFlowType: 'ARRAY', description: 'The results, in the order of the items' } },
  workflowInput: 'workflowId',
  async run({ items, workflowId, concurrency, inputs, onItemError }, context) {
    if (items.length > MAX_ITEMS)
      throw new ToolError(
        'ParameterValidationError',
        `'items' must be at most ${MAX_ITEMS}, got ${items.length}; use core:chunk`,
      );
    const instead = oneOf(ON_ITEM_ERROR, 'onItemError', onItemError);
    const results = await inOrder(items, concurrency, context, async (item, index) => {
      try {
        return await context.runWorkflow(workflowId, { ...inputs, item, index });
      } catch (error) {
        context.signal.throwIfAborted();
        const failure = atItem(error, index);
        context.log(failure.message);
        return instead(failure);
      }
    });
    return { results: results.filter((result) => result !== undefined) };
  },
});

/**
 * Works on at most `concurrency` items at a time. Items begin in their order, because the journal identifies sub-workflows by the order
 * in which they began. After a failure no item begins. Items that have begun finish, so that a repair finds their results.
 */
async function inOrder(
  items: readonly Json[],
  concurrency: number,
  { progress }: NodeContext,
  work: (item: Json, index: number) => Promise<Json | undefined>,
): Promise<(Json | undefined)[]> {
  const results: (Json | undefined)[] = [];
  let next = 0;
  let done = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      try {
        results[index] = await work(items[index]!, index);
      } catch (error) {
        next = items.length;
        throw error;
      }
      progress(++done / items.length, `${done} of ${items.length}`);
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(concurrency, items.length) }, lane));
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
  return results;
}

function atItem(error: unknown, index: number): ToolError {
  const { type, message, details } = toFailure(error, 'NodeError');
  return new ToolError(type, `item ${index}: ${message}`, { ...details, index }, { cause: error });
}
