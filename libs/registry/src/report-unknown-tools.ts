import type { Problem, StoredNode, Tool } from '@errand/contracts';
import type { WorkflowFile } from './library-files.js';
import type { Report } from './library-problem.js';
import { placeProblem } from './place-problem.js';
import { ToolNames } from './resolve-name.js';

/** Tells of nodes that call a tool which is not there. Their workflows stay: tools come and go, and a branch may never reach the node. */
export function reportUnknownTools(
  workflows: Iterable<WorkflowFile>,
  tools: ReadonlyMap<string, readonly Tool[]>,
  report: Report,
): void {
  const names = new ToolNames(tools);
  for (const { workflow, source } of workflows) {
    for (const [index, node] of workflow.nodes.entries()) {
      const fault = faultOf(node, names);
      const path = `/nodes/${index}/configValues/toolId`;
      if (fault) report(placeProblem(source, { path, ...fault }));
    }
  }
}

function faultOf({ id, type, configValues }: Partial<StoredNode>, names: ToolNames): Omit<Problem, 'path'> | undefined {
  if (type !== 'core:tool') return undefined;
  const name = configValues?.toolId;
  if (typeof name !== 'string' || name === '')
    return { message: `The node '${id}' names no tool: it will fail when it is reached` };
  if (names.find(name)) return undefined;
  const suggestion = names.suggest(name, () => true);
  const message = `There is no tool '${name}': the node '${id}' will fail when it is reached`;
  return { message, ...(suggestion !== undefined && { suggestion }) };
}
