import { type Files, load } from './write-library.js';

/** The profile of an agent that can run. */
export function profileOf(over: object = {}): object {
  return {
    id: 'guide',
    tool_ids_inventory: ['core:echo', 'agent:*'],
    core_deliberation_workflow_id: 'core:deliberate',
    ...over,
  };
}

/** A workflow that returns `text`. */
export function thinkingWorkflow(interfaceInputs: object = {}, says = 'hi'): object {
  return {
    interfaceInputs,
    interfaceOutputs: { text: { dataFlowType: 'STRING' } },
    nodes: [
      { id: 'say', type: 'core:echo', inputValues: { value: says } },
      { id: 'out', type: 'core:GroupOutput' },
    ],
    edges: [{ source: 'say', sourceHandle: 'value', target: 'out', targetHandle: 'text' }],
  };
}

/** A library with one agent. */
export function loadAgent(over: object = {}, more: Files = {}) {
  return load({ 'agents/guide.json': profileOf(over), ...more });
}
