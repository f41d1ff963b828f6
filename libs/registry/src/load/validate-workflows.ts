import {
  workflowMeant,
  type NodeType,
  type Problem,
  type WorkflowCheck,
  type WorkflowLookups,
  type WorkflowProblem,
  type StoredNode,
  type Tool,
} from '@errand/contracts';
import { partialWorkflowOf } from './partial-workflow.js';
import { isWithin } from '../files/json-pointer.js';
import type { WorkflowFile } from '../files/library-files.js';
import type { ReportProblem } from '../files/library-problem.js';
import { locateProblem } from '../files/locate-problem.js';
import { constantsOf, referencesOf } from '../resolve/references-of.js';
import { messageOf } from '../plugins/thrown-values.js';
import { faultsOfSettings } from './schema-settings.js';
import { faultsOfInterface } from './workflow-tool.js';
import { ToolNames } from '../resolve/resolve-name.js';

/** The most unknown workflows of one file that get a suggestion. A search among all workflows takes time. */
const MAX_SUGGESTIONS = 50;

/**
 * The workflows that can run. Problems of the others are reported. A workflow that runs a broken one is broken as well.
 */
export function selectRunnableWorkflows(
  files: ReadonlyMap<string, WorkflowFile>,
  nodeTypes: ReadonlyMap<string, NodeType>,
  checkWorkflow: WorkflowCheck,
  report: ReportProblem,
): Map<string, WorkflowFile> {
  const lookups = { nodeTypes, workflows: new Map([...files].map(([id, { workflow }]) => [id, workflow])) };
  const runnable = new Map(files);
  for (const [id, file] of files) {
    const problems = [...allFaultsOf(file, lookups, checkWorkflow), ...faultsOfSettings(file.workflow, nodeTypes)];
    for (const problem of problems) report(locateProblem(file.source, problem));
    if (problems.length > 0) runnable.delete(id);
  }
  const runsOf = new Map([...runnable].map(([id, { workflow }]) => [id, referencesOf(workflow, nodeTypes)]));
  dropBroken(runnable, runsOf, report);
  dropCycles(runnable, runsOf, report);
  return runnable;
}

/** Reports more problems of partial workflows, beside those of their files. */
export function reportPartialWorkflows(
  partials: readonly WorkflowFile[],
  lookups: WorkflowLookups,
  checkWorkflow: WorkflowCheck,
  report: ReportProblem,
): void {
  for (const file of partials) {
    const { workflow, locate } = partialWorkflowOf(file.workflow, file.faults ?? []);
    const faults = [
      ...allFaultsOf({ ...file, workflow }, lookups, checkWorkflow),
      ...faultsOfSettings(workflow, lookups.nodeTypes),
    ];
    for (const problem of locate(faults)) report(locateProblem(file.source, problem));
  }
}

/**
 * All problems of a workflow except those of the schemas in its settings, which can be costly to compile. The interface of a workflow inside a plugin is not checked, because it does not become a
 * tool.
 */
export function allFaultsOf(
  file: Pick<WorkflowFile, 'workflow' | 'plugin'>,
  lookups: WorkflowLookups,
  checkWorkflow: WorkflowCheck,
): WorkflowProblem[] {
  const checked = [...faultsOf(file, lookups, checkWorkflow), ...unknownConstants(file, lookups)];
  const ofInterface = file.plugin === undefined ? faultsOfInterface(file.workflow) : [];
  const known = checked.filter(({ path }) => path.startsWith('/interface'));
  return [...checked, ...ofInterface.filter(({ path }) => !known.some((fault) => isWithin(fault.path, path)))];
}

type References = ReadonlyMap<string, ReturnType<typeof referencesOf>>;

/** Runs the check. If it throws, the other workflows must load all the same. */
function faultsOf(
  { workflow }: Pick<WorkflowFile, 'workflow'>,
  lookups: WorkflowLookups,
  checkWorkflow: WorkflowCheck,
): WorkflowProblem[] {
  try {
    return checkWorkflow(workflow, lookups);
  } catch (error) {
    return [{ path: '', message: `The workflow cannot be checked: ${messageOf(error)}` }];
  }
}

function unknownConstants(
  { workflow }: Pick<WorkflowFile, 'workflow'>,
  { nodeTypes, workflows }: WorkflowLookups,
): Problem[] {
  return constantsOf(workflow, nodeTypes)
    .filter(({ id }) => !workflows.has(id))
    .map(({ id, path }, index) => {
      const suggestion = index < MAX_SUGGESTIONS ? workflowMeant(id, workflows.keys()) : undefined;
      return { path, message: `There is no workflow '${id}'`, ...(suggestion !== undefined && { suggestion }) };
    });
}

function dropBroken(runnable: Map<string, WorkflowFile>, runsOf: References, report: ReportProblem): void {
  let size: number;
  do {
    size = runnable.size;
    for (const [id, { source }] of runnable) {
      const broken = runsOf.get(id)?.find((reference) => !runnable.has(reference.id));
      if (!broken) continue;
      const message = `The workflow '${id}' contains the workflow '${broken.id}', which cannot run`;
      report(locateProblem(source, { path: broken.path, message }));
      runnable.delete(id);
    }
  } while (runnable.size < size);
}

/**
 * Drops workflows in cycles. It removes workflows that run none of those left, until nothing changes: the rest is in a
 * cycle or leads to one.
 */
function dropCycles(runnable: Map<string, WorkflowFile>, runsOf: References, report: ReportProblem): void {
  const left = new Set(runnable.keys());
  let size: number;
  do {
    size = left.size;
    for (const id of left) if (!runsOf.get(id)?.some((reference) => left.has(reference.id))) left.delete(id);
  } while (left.size < size);
  for (const [id, { source }] of runnable) {
    const next = left.has(id) ? runsOf.get(id)?.find((reference) => left.has(reference.id)) : undefined;
    if (!next) continue;
    const isOwn = next.id === id;
    const longer = `The workflow '${id}' runs '${next.id}', which leads to a workflow that runs itself`;
    report(locateProblem(source, { path: next.path, message: isOwn ? `The workflow '${id}' runs itself` : longer }));
    runnable.delete(id);
  }
}

/**
 * Reports nodes that call an unknown tool. Their workflows stay: tools can be added later, and a branch may never reach
 * the node.
 * @param mayExist whether an id can belong to a tool that is not known yet
 */
export function reportUnknownTools(
  workflows: Iterable<WorkflowFile>,
  tools: ReadonlyMap<string, readonly Tool[]>,
  report: ReportProblem,
  mayExist: (toolId: string) => boolean = () => false,
): void {
  const names = new ToolNames(tools);
  for (const { workflow, source } of workflows) {
    for (const [index, node] of workflow.nodes.entries()) {
      const named = node.configValues?.toolId;
      if (typeof named === 'string' && mayExist(named)) continue;
      const fault = faultOf(node, names);
      const path = `/nodes/${index}/configValues/toolId`;
      if (fault) report(locateProblem(source, { path, ...fault }));
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
