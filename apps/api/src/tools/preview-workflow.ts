import { isObject, type JsonSchema, type Problem, type StoredWorkflow, type ToolInterface } from '@errand/contracts';
import { checkWorkflow } from '@errand/engine';
import { faultsOfSetting, previewTool, schemaSettingsOf, type Registry } from '@errand/registry';
import { ProblemError } from '../http/problem-error.js';

/** A workflow as a tool. Models call it by `name`. */
interface ToolPreview extends ToolInterface {
  name: string;
}

/**
 * The tool that a workflow would become in the library under this id. Schemas in its settings come from the caller, so `faultsOf` compiles
 * them in a thread.
 * @throws ProblemError with all problems of the workflow, as paths into the request
 */
export async function previewWorkflow(
  registry: Registry,
  { workflowId, workflow }: { workflowId: string; workflow: StoredWorkflow },
  faultsOf: (schemas: readonly (JsonSchema | boolean)[]) => Promise<Problem[][]>,
): Promise<ToolPreview> {
  const found = previewTool(workflowId, workflow, registry, checkWorkflow);
  const settings = isReadable(workflow) ? schemaSettingsOf(workflow, registry.nodeTypes) : [];
  const ofSchemas = await faultsOf(settings.map(({ schema }) => schema));
  const problems = [
    ...(Array.isArray(found) ? found : []),
    ...settings.flatMap((setting, index) => faultsOfSetting(setting, ofSchemas[index] ?? [])),
  ];
  if (!Array.isArray(found) && problems.length === 0) return { name: found.toolId, ...found };
  const errors = problems.map((problem) => ({ ...problem, path: `/workflow${problem.path}` }));
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('\n');
  throw new ProblemError('invalid_request', detail, { status: 422, errors });
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
