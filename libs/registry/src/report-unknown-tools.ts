import type { Tool } from '@errand/contracts';
import type { WorkflowFile } from './library-files.js';
import { placeProblem, type Report } from './library-problem.js';
import { ToolNames } from './resolve-name.js';

/** Tells of nodes that call a tool which is not there. Their workflows stay: tools come and go, and a branch may never reach the node. */
export function reportUnknownTools(
  workflows: Iterable<WorkflowFile>,
  tools: ReadonlyMap<string, readonly Tool[]>,
  report: Report,
): void {
  const names = new ToolNames(tools);
  for (const { workflow, source } of workflows) {
    for (const [index, { type, configValues }] of workflow.nodes.entries()) {
      const name = type === 'core:tool' ? configValues?.toolId : undefined;
      if (typeof name !== 'string' || names.find(name)) continue;
      const suggestion = names.suggest(name, () => true);
      const path = `/nodes/${index}/configValues/toolId`;
      const message = `There is no tool '${name}': the node will fail when it is reached`;
      report(placeProblem(source, { path, message, ...(suggestion !== undefined && { suggestion }) }));
    }
  }
}
