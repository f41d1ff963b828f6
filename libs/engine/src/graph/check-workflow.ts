import type { WorkflowCheck } from '@errand/contracts';
import { checkValues } from './check-values.js';
import { validateGraph } from './validate-graph.js';

/**
 * Returns all problems of a workflow, as JSON Pointers into it. It checks names (node types, slots, settings,
 * workflows), edges, slot types, ids, misspelt fields, cycles, missing inputs and values. An empty list means that the
 * workflow can run.
 */
export const checkWorkflow: WorkflowCheck = (workflow, lookups) => {
  const { nodes, problems, doubtful } = validateGraph(workflow, lookups);
  return [...problems, ...checkValues(workflow, nodes, doubtful)];
};
