import { resolve } from 'node:path';
import { deliberationInput, DELIBERATION_INPUTS, didYouMean, type Problem } from '@errand/contracts';
import type { AgentProfile } from '../files/agent-profile.js';
import type { LocatedValue, WorkflowFile } from '../files/library-files.js';
import { unknownName } from '../resolve/resolve-name.js';

const FIELD = '/core_deliberation_workflow_id';

/** The workflows that agents may use, by id and by path. */
export class AgentWorkflows {
  private readonly byPath: ReadonlyMap<string, string>;

  constructor(private readonly workflows: ReadonlyMap<string, WorkflowFile>) {
    this.byPath = new Map([...workflows].map(([id, { source }]) => [resolve(source.file), id]));
  }

  /**
   * The id of the deliberation workflow of an agent. The profile names an id or a path in its library.
   * @returns undefined if the profile names none; the problem if the workflow is unknown or has required inputs that a turn cannot give
   */
  find({ value, folder }: LocatedValue<AgentProfile>): string | Problem | undefined {
    const named = value.core_deliberation_workflow_id;
    if (named === undefined) return undefined;
    const id = this.workflows.has(named) ? named : this.byPath.get(resolve(folder, named));
    const file = id === undefined ? undefined : this.workflows.get(id);
    if (id === undefined || !file) {
      const message = `There is no workflow '${named}', or it has problems of its own`;
      return unknownName(FIELD, message, named.replace(/^workflow:/, ''), this.workflows.keys());
    }
    return unusableInput(id, file) ?? id;
  }
}

function unusableInput(id: string, { workflow }: WorkflowFile): Problem | undefined {
  const required = Object.entries(workflow.interfaceInputs ?? {}).filter(
    ([, slot]) => slot.required === true && slot.config?.default === undefined,
  );
  const unusable = required.map(([name]) => name).filter((name) => deliberationInput(name) === undefined);
  if (unusable.length === 0) return undefined;
  const names = unusable.map((name) => withNearest(name)).join(', ');
  const given = DELIBERATION_INPUTS.join(', ');
  const message = `The workflow '${id}' requires ${names}, which a turn does not give; make it optional, or use one of ${given}`;
  return { path: FIELD, message };
}

function withNearest(name: string): string {
  const nearest = didYouMean(name, DELIBERATION_INPUTS);
  return nearest === undefined ? `'${name}'` : `'${name}' (did you mean '${nearest}'?)`;
}
