import type { WorkflowCheck } from '@errand/contracts';
import { checkValues } from './check-values.js';
import { validateGraph } from './validate-graph.js';

/**
 * All that is wrong with a workflow, as JSON Pointers into it: unknown node types, slots, settings and workflows, dangling edges,
 * types that do not fit, a second connection into a single input, duplicate ids, misspelt fields, cycles (of nodes, and of
 * workflows that contain each other), inputs that are missing and values that do not fit. An empty list: it can run.
 */
export const checkWorkflow: WorkflowCheck = (workflow, lookups) => {
  const { nodes, problems, doubtful } = validateGraph(workflow, lookups);
  return [...problems, ...checkValues(workflow, nodes, doubtful)];
};
