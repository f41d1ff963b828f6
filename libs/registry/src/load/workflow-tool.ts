import type { Problem, StoredSlot, StoredWorkflow, ToolInterface } from '@errand/contracts';
import { valid } from 'semver';
import { escapeKey } from '../files/json-pointer.js';
import { readParameters } from './read-parameters.js';
import { meantType, outputOfSlots, parametersOfSlots } from './schema-of-slots.js';

const FIRST_VERSION = '1.0.0';

/** The tool of a stored workflow. Its interface inputs are the parameters. */
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

const known = new WeakMap<StoredWorkflow, readonly Problem[]>();

/** The problems of the interface of a workflow as a tool, as JSON Pointers into the workflow. */
export function faultsOfInterface(workflow: StoredWorkflow): readonly Problem[] {
  let faults = known.get(workflow);
  if (!faults) {
    const { interfaceInputs = {}, interfaceOutputs = {} } = workflow;
    const parameters = readParameters(parametersOfSlots(interfaceInputs)).problems.map((problem) => {
      const [, keyword, name] = problem.path.split('/');
      return { ...problem, path: `/interfaceInputs${keyword === 'properties' ? `/${name}` : ''}` };
    });
    const misspelt = [
      ...misspeltTypes('interfaceInputs', interfaceInputs),
      ...misspeltTypes('interfaceOutputs', interfaceOutputs),
    ];
    faults = [...misspelt, ...parameters];
    known.set(workflow, faults);
  }
  return faults;
}

function misspeltTypes(field: string, slots: Readonly<Record<string, StoredSlot>>): Problem[] {
  return Object.entries(slots).flatMap(([name, { dataFlowType }]) => {
    const suggestion = meantType(dataFlowType);
    const path = `/${field}/${escapeKey(name)}/dataFlowType`;
    return suggestion === undefined ? [] : [{ path, message: `The type '${dataFlowType}' is not known`, suggestion }];
  });
}
