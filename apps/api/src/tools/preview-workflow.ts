import { isObject, type JsonSchema, type Problem, type StoredWorkflow, type ToolInterface } from '@errand/contracts';
import { checkWorkflow } from '@errand/engine';
import { faultsOfSetting, previewTool, schemaSettingsOf, type Registry } from '@errand/registry';
import { ProblemError } from '../http/problem-error.js';
import { excessOf } from './preview-limits.js';

/** A workflow as a tool. Models call it by `name`. */
interface ToolPreview extends ToolInterface {
  name: string;
}

/** The highest number of reported problems, and the longest message. Messages have names of the caller. */
const MAX_PROBLEMS = 100;
const MAX_MESSAGE = 5_000;

/**
 * The tool that a workflow would become in the library under this id. Schemas in its settings come from the caller, so `faultsOf` compiles
 * them in a thread.
 * @throws ProblemError with the first 100 problems of the workflow, as paths into the request; or with the limits that it exceeds
 */
export async function previewWorkflow(
  registry: Registry,
  { workflowId, workflow }: { workflowId: string; workflow: StoredWorkflow },
  faultsOf: (schemas: readonly (JsonSchema | boolean)[]) => Promise<Problem[][]>,
): Promise<ToolPreview> {
  const excess = excessOf(workflow);
  if (excess.length > 0) throw refusal(excess);
  const found = previewTool(workflowId, workflow, registry, checkWorkflow);
  const settings = isReadable(workflow) ? schemaSettingsOf(workflow, registry.nodeTypes) : [];
  const ofSchemas = await faultsOf(settings.map(({ schema }) => schema));
  const problems = [
    ...(Array.isArray(found) ? found : []),
    ...settings.flatMap((setting, index) => faultsOfSetting(setting, ofSchemas[index] ?? [])),
  ];
  if (!Array.isArray(found) && problems.length === 0) return { name: found.toolId, ...found };
  throw refusal(problems.slice(0, MAX_PROBLEMS));
}

function refusal(problems: readonly Problem[]): ProblemError {
  const errors = problems.map((problem) => ({
    ...problem,
    path: `/workflow${problem.path}`,
    message: problem.message.length > MAX_MESSAGE ? `${problem.message.slice(0, MAX_MESSAGE)}…` : problem.message,
  }));
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('\n');
  return new ProblemError('invalid_request', detail, { status: 422, errors });
}

/** Whether the nodes can be looked at. A workflow of another shape has its own problems. */
function isReadable({ nodes }: StoredWorkflow): boolean {
  const isNode = (node: unknown) =>
    isObject(node) &&
    typeof node.id === 'string' &&
    typeof node.type === 'string' &&
    (node.configValues === undefined || isObject(node.configValues));
  return Array.isArray(nodes) && nodes.every(isNode);
}
