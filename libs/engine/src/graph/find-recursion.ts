import { groupReference, type StoredWorkflow, type WorkflowLookups } from '@errand/contracts';

/**
 * Returns the ids of workflows that contain each other in a cycle, or undefined. The lookups need not contain the
 * workflow's own id.
 */
export function findRecursion(workflow: StoredWorkflow, { workflows }: WorkflowLookups): string[] | undefined {
  const done = new Set<string>();
  const visit = (current: StoredWorkflow, chain: string[]): string[] | undefined => {
    for (const id of referencesOf(current)) {
      const at = chain.indexOf(id);
      if (at >= 0) return chain.slice(at);
      const next = workflows.get(id);
      if (!next || done.has(id)) continue;
      const found = visit(next, [...chain, id]);
      if (found) return found;
      done.add(id);
    }
    return undefined;
  };
  return visit(workflow, workflow.id === undefined ? [] : [workflow.id]);
}

/** The ids of the workflows that its node groups run. */
export function referencesOf(workflow: StoredWorkflow): string[] {
  return workflow.nodes.map((node) => groupReference(node)?.id).filter((id) => typeof id === 'string');
}
