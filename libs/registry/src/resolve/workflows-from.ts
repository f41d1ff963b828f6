import type { StoredWorkflow } from '@errand/contracts';
import type { Library } from '../load/library.js';
import { referencesOf } from './references-of.js';

/** A workflow and all workflows that it runs, by id. */
export function workflowsFrom(root: string, { workflows, nodeTypes }: Library): Record<string, StoredWorkflow> {
  const found = new Map<string, StoredWorkflow>();
  const open = [root];
  for (const id of open) {
    const workflow = workflows.get(id);
    if (!workflow || found.has(id)) continue;
    found.set(id, workflow);
    open.push(...referencesOf(workflow, nodeTypes).map((reference) => reference.id));
  }
  return Object.fromEntries(found);
}
