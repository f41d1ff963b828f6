import type { StoredWorkflow, ToolInterface } from '@errand/contracts';
import { checkWorkflow } from '@errand/engine';
import { previewTool, type Registry } from '@errand/registry';
import { ProblemError } from '../http/problem-error.js';

/** A workflow as a tool. Models call it by `name`. */
interface ToolPreview extends ToolInterface {
  name: string;
}

/**
 * The tool that a workflow would become in the library under this id.
 * @throws ProblemError with all problems of the workflow, as paths into the request
 */
export function previewWorkflow(registry: Registry, workflowId: string, workflow: StoredWorkflow): ToolPreview {
  const found = previewTool(workflowId, workflow, registry, checkWorkflow);
  if (!Array.isArray(found)) return { name: found.toolId, ...found };
  const errors = found.map((problem) => ({ ...problem, path: `/workflow${problem.path}` }));
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('\n');
  throw new ProblemError('invalid_request', detail, { status: 422, errors });
}
