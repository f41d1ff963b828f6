import { own, ToolError, workflowMeant, type Json, type JsonObject, type StoredWorkflow } from '@errand/contracts';
import type { Attempt } from './attempt.js';
import { copyObject } from './copy-json.js';
import { referencesOf } from '../graph/find-recursion.js';
import { fillInputs } from './fill-inputs.js';
import type { WorkflowRun, RunScope } from './run-scope.js';
import { namedOutputs, resultOf } from '../graph/workflow-of-node.js';

/**
 * Runs a workflow for the code of a node, which gives up its permit meanwhile. The keys of the inner nodes begin with
 * the key of the call, so that the journal finds their outcomes again.
 * @throws NodeError if the workflow is unknown or nested too deep; the failure of the workflow
 */
export async function runInside(attempt: Attempt, workflowId: string, inputs: JsonObject): Promise<Json> {
  const key = attempt.nextCall();
  attempt.throwIfOver();
  const { scope, signal, limits, isRetried } = attempt;
  const depth = nextDepth(scope, `Workflow '${workflowId}'`);
  const workflow = await findWorkflow(scope.run, workflowId);
  const slots = workflow.interfaceInputs ?? {};
  const known = Object.entries(inputs).filter(([name]) => own(slots, name));
  const given = fillInputs(Object.entries(slots), copyObject(Object.fromEntries(known)));
  const inside: RunScope = {
    run: scope.run,
    signal,
    prefix: `${key}/`,
    depth,
    limits,
    isRetried,
    onProgress: () => {},
    onStream: () => {},
  };
  const outputs = await attempt.waitWithoutPermit(scope.run.runGraph(workflow, given, inside));
  return resultOf(namedOutputs(workflow, outputs));
}

/** Finds a workflow, and loads the workflows of its node groups. */
async function findWorkflow(run: WorkflowRun, id: string): Promise<StoredWorkflow> {
  const { workflows, options } = run;
  const found = new Map<string, StoredWorkflow>();
  const wanted = new Set([id]);
  for (const name of wanted) {
    const workflow = workflows.get(name) ?? (await options.findWorkflow?.(name));
    if (!workflow) continue;
    found.set(name, workflow);
    for (const inner of referencesOf(workflow)) wanted.add(inner);
  }
  const workflow = found.get(id);
  if (!workflow) throw unknownWorkflow(id, workflows.keys());
  for (const [name, one] of found) workflows.set(name, one);
  return workflow;
}

function unknownWorkflow(id: string, known: Iterable<string>): ToolError {
  const suggestion = workflowMeant(id, known);
  return new ToolError(
    'NodeError',
    `There is no workflow '${id}'${suggestion ? `, did you mean '${suggestion}'?` : ''}`,
  );
}

/** The limit ends workflows and tools that call each other without end. */
const MAX_DEPTH = 32;

/** Returns the nesting depth of a workflow or tool that a node calls. @throws NodeError if it is too deep */
export function nextDepth({ depth }: Pick<RunScope, 'depth'>, what: string): number {
  if (depth < MAX_DEPTH) return depth + 1;
  throw new ToolError('NodeError', `${what} would run nested more than ${MAX_DEPTH} levels deep`);
}
