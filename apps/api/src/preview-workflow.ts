import type { JsonSchema, Problem, StoredWorkflow, ToolInterface } from '@errand/contracts';
import { checkWorkflow } from '@errand/engine';
import { toolOfWorkflow, validateOutput, type Registry } from '@errand/registry';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProblemError } from './http/problem-error.js';

/** The published schema of workflow files, in the sources and in dist/ alike. */
const SCHEMA = join(__dirname, '../../../libs/registry/src/schemas/workflow.schema.json');

/** What a workflow would be as a tool. `name` is what a model calls it by. */
export interface ToolPreview extends ToolInterface {
  name: string;
}

let shape: ToolInterface | undefined;

/**
 * The tool that a workflow would become if it lay in the library under this id, which it need not do yet.
 * @throws ProblemError with everything that is wrong with the workflow, as paths into the request
 */
export function previewWorkflow(registry: Registry, workflowId: string, workflow: StoredWorkflow): ToolPreview {
  const problems = problemsOf(registry, workflowId, workflow);
  if (problems.length === 0) {
    const tool = toolOfWorkflow(workflowId, workflow);
    return { name: tool.toolId, ...tool };
  }
  const errors = problems.map((problem) => ({ ...problem, path: `/workflow${problem.path}` }));
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('\n');
  throw new ProblemError('invalid_request', detail, { status: 422, errors });
}

/** The shape comes first: how nodes and connections fit together can be said only of what has it. */
function problemsOf({ nodeTypes, workflows }: Registry, id: string, workflow: StoredWorkflow): Problem[] {
  const faults = validateOutput((shape ??= shapeOfWorkflows()), workflow as ToolInterface['parameters']);
  if (faults.length > 0) return faults;
  const own = { ...workflow, id };
  return checkWorkflow(own, { nodeTypes, workflows: new Map([...workflows, [id, own]]) });
}

function shapeOfWorkflows(): ToolInterface {
  const output = JSON.parse(readFileSync(SCHEMA, 'utf8')) as JsonSchema;
  return {
    toolId: 'workflow',
    version: '1.0.0',
    displayName: '',
    description: '',
    kind: 'workflow',
    parameters: {},
    output,
    tags: [],
  };
}
