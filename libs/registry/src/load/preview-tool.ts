import {
  isDeeperThan,
  type Problem,
  type StoredWorkflow,
  type ToolInterface,
  type WorkflowCheck,
  type WorkflowLookups,
} from '@errand/contracts';
import { faultsOfShape } from '../files/check-file.js';
import { partialFileOf } from './partial-file.js';
import { partialWorkflowOf } from './partial-workflow.js';
import { messageIn } from '../files/locate-problem.js';
import { allFaultsOf } from './validate-workflows.js';
import { toolOfWorkflow } from './workflow-tool.js';

/** The highest number of reported problems. Each costs time. */
const MAX_PROBLEMS = 100;

/**
 * The tool that a workflow would be under this id in the library, or its first problems as JSON Pointers into the
 * workflow, MAX_PROBLEMS at most.
 */
export function previewTool(
  id: string,
  workflow: unknown,
  { nodeTypes, workflows }: WorkflowLookups,
  checkWorkflow: WorkflowCheck,
): ToolInterface | Problem[] {
  const faults = faultsOfShape('workflow', workflow);
  const whole = isDeeperThan(workflow) ? undefined : partialFileOf('workflow', workflow, faults);
  if (!whole) return faults;
  const { workflow: partial, locate } = partialWorkflowOf(whole, faults);
  const stored: StoredWorkflow = { ...partial, id };
  const lookups = { nodeTypes, workflows: new Map([...workflows, [id, stored]]) };
  const problems = [...faults, ...locate(allFaultsOf({ workflow: stored }, lookups, checkWorkflow))];
  const explained = problems
    .slice(0, MAX_PROBLEMS)
    .map((problem) => ({ ...problem, message: messageIn(workflow, problem) }));
  return explained.length > 0 ? explained : toolOfWorkflow(id, stored);
}
