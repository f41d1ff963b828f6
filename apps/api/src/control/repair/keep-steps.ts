import { isObject, type AgentLimits, type Definition, type NodeState } from '@errand/contracts';
import type { PreviousRun, StepOutcome } from '@errand/queue';
import { keepFinishedNodes } from './keep-nodes.js';
import { keepFinishedRounds } from './keep-rounds.js';
import { workflowOf } from './node-keys.js';
import type { Changes } from './read-changes.js';

/** A repair of an invocation. */
interface RepairPlan {
  definitions: readonly Definition[];
  changes: Changes;
  /** For each step, the numbers of the steps whose results it needs. */
  needs: readonly (readonly number[])[];
  /** New limits of turns. */
  limits?: Partial<AgentLimits> | undefined;
}

/** The outcomes of steps and nodes, and the answers, that a repair keeps. */
export function keepFinishedSteps(
  previousRun: PreviousRun,
  { definitions, changes, needs, limits }: RepairPlan,
): PreviousRun {
  const rerunKeys = stepsToRerun(changes, needs);
  const keptRun = {
    journal: new Map<string, string>(),
    state: new Map<string, string>(),
    answers: new Map<string, string>(),
    ...(previousRun.results && { results: previousRun.results }),
  };
  definitions.forEach((definition, index) => {
    // The inputs of the step may have changed, so that all its nodes run again.
    if (rerunKeys.has(index)) return;
    const replaced = new Set(changes.nodes.get(index)?.keys());
    if (definition.agent) keepFinishedRounds(previousRun, keptRun, index, limits);
    const { kept, isInvalidated } = nodesOf(previousRun, index, definition, replaced);
    const step = previousRun.state.get(`${index}`);
    const isDone =
      step !== undefined && (JSON.parse(step) as StepOutcome).status === 'succeeded' && replaced.size === 0;
    if (isDone) keptRun.state.set(`${index}`, step);
    for (const key of kept) {
      copy(previousRun.journal, keptRun.journal, `${index}/${key}`);
      copy(previousRun.state, keptRun.state, `${index}/${key}`);
    }
    for (const [field, text] of previousRun.answers)
      if (isOf(field, index) && isResult(text) && !isInvalidated(field.slice(`${index}/`.length)))
        keptRun.answers.set(field, text);
  });
  return keptRun;
}

/** The steps that run again: their arguments change, or they need the result of a changed step or of a step with a changed node. */
function stepsToRerun({ steps, nodes }: Changes, needs: readonly (readonly number[])[]): Set<number> {
  const rerunKeys = new Set(steps.keys());
  needs.forEach((needed, index) => {
    if (needed.some((before) => rerunKeys.has(before) || nodes.has(before))) rerunKeys.add(index);
  });
  return rerunKeys;
}

function nodesOf(
  { journal }: PreviousRun,
  index: number,
  definition: Definition,
  replaced: ReadonlySet<string>,
): ReturnType<typeof keepFinishedNodes> {
  const prefix = `${index}/`;
  const states = [...journal]
    .filter(([field]) => field.startsWith(prefix))
    .map(([field, text]) => [field.slice(prefix.length), JSON.parse(text) as NodeState] as const);
  const workflow = workflowOf(definition) ?? { nodes: [], edges: [] };
  return keepFinishedNodes(new Map(states), workflow, definition.workflows ?? {}, replaced);
}

function isOf(field: string, index: number): boolean {
  return field === `${index}` || field.startsWith(`${index}/`);
}

/** False for an answer that is an error: the step asks again. */
function isResult(text: string): boolean {
  const given: unknown = JSON.parse(text);
  return isObject(given) && isObject(given.answer) && Object.hasOwn(given.answer, 'result');
}

function copy(from: ReadonlyMap<string, string>, to: Map<string, string>, field: string): void {
  const text = from.get(field);
  if (text !== undefined) to.set(field, text);
}
