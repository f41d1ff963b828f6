import { ToolError, type StoredWorkflow, type WorkflowLookups } from '@errand/contracts';
import { checkWorkflow } from './check-workflow.js';
import type { GraphNode } from './graph.js';
import { readGraph } from './read-graph.js';

/**
 * The graph of a workflow that is about to run. The registry has checked it, but this process may have other node types deployed.
 * @throws NodeError with the first thing that is wrong
 */
export function soundGraph(workflow: StoredWorkflow, lookups: WorkflowLookups): GraphNode[] {
  const [first] = checkWorkflow(workflow, lookups);
  if (!first) return readGraph(workflow, lookups).nodes;
  throw new ToolError('NodeError', `The workflow cannot run here: ${first.message} (at ${first.path})`);
}
