import type { Problem, StoredWorkflow, ToolInterface, WorkflowCheck, WorkflowLookups } from '@errand/contracts';
import { faultsOfShape } from './check-file.js';
import { isWithin } from './json-pointer.js';
import { faultsOfInterface, toolOfWorkflow } from './tool-of-workflow.js';

/**
 * The tool that a workflow would be if it lay in the library under this id, or all that is wrong with it as JSON Pointers into the
 * workflow. The shape comes first: how nodes and connections fit together can be said only of what has it.
 */
export function previewTool(
  id: string,
  workflow: unknown,
  { nodeTypes, workflows }: WorkflowLookups,
  checkWorkflow: WorkflowCheck,
): ToolInterface | Problem[] {
  const faults = faultsOfShape('workflow', workflow);
  if (faults.length > 0) return faults;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of workflows has vouched for it
  const stored: StoredWorkflow = { ...(workflow as StoredWorkflow), id };
  const checked = checkWorkflow(stored, { nodeTypes, workflows: new Map([...workflows, [id, stored]]) });
  const ofInterface = faultsOfInterface(stored).filter(
    ({ path }) => !checked.some((fault) => isWithin(fault.path, path)),
  );
  const problems = [...checked, ...ofInterface];
  return problems.length > 0 ? problems : toolOfWorkflow(id, stored);
}
