import type { StoredWorkflow, ToolInterface } from '@errand/contracts';
import { valid } from 'semver';
import { outputOfSlots, parametersOfSlots } from './schema-of-slots.js';

const FIRST_VERSION = '1.0.0';

/** The tool that a stored workflow becomes: its interface inputs are the parameters. */
export function toolOfWorkflow(id: string, workflow: StoredWorkflow): ToolInterface {
  const { name, description, version, interfaceInputs = {}, interfaceOutputs = {} } = workflow;
  const displayName = name ?? id;
  return {
    toolId: `workflow:${id}`,
    version: (typeof version === 'string' && valid(version)) || FIRST_VERSION,
    displayName,
    description: description ?? displayName,
    kind: 'workflow',
    parameters: parametersOfSlots(interfaceInputs),
    ...(Object.keys(interfaceOutputs).length > 0 && { output: outputOfSlots(interfaceOutputs) }),
    tags: [],
  };
}
