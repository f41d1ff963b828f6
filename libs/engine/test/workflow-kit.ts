import type { Json, NodeType, StoredEdge, StoredNode, StoredSlot, StoredWorkflow, ToolError } from '@errand/contracts';
import type { EngineEvent, RunOptions } from '../src/index.js';

const ANY: StoredSlot = { dataFlowType: 'WILDCARD' };

/** A node type with `ANY` inputs of these names and one output `value`. */
export function nodeType(type: string, inputs: string[], run: NodeType['run'], more: Partial<NodeType> = {}): NodeType {
  return {
    type,
    description: type,
    inputs: anySlots(inputs),
    outputs: { value: ANY },
    run,
    ...more,
  };
}

/** `edge('a.value', 'b.parts')` */
export function edge(from: string, to: string, id?: string): StoredEdge {
  const [source = '', sourceHandle = ''] = from.split('.');
  const [target = '', targetHandle = ''] = to.split('.');
  return { ...(id !== undefined && { id }), source, sourceHandle, target, targetHandle };
}

function anySlots(names: string[]): Record<string, StoredSlot> {
  return Object.fromEntries(names.map((name) => [name, ANY]));
}

/** A workflow with edges in the form `a.value > b.parts`. Its inputs and outputs have any type. */
export function workflow(
  nodes: StoredNode[],
  edges: string[],
  { inputs = [], outputs = [], id }: { inputs?: string[]; outputs?: string[]; id?: string } = {},
): StoredWorkflow {
  return {
    ...(id !== undefined && { id }),
    nodes: [
      ...(inputs.length > 0 ? [{ id: 'in', type: 'core:GroupInput' }] : []),
      ...nodes,
      ...(outputs.length > 0 ? [{ id: 'out', type: 'core:GroupOutput' }] : []),
    ],
    edges: edges.map((text) => {
      const [from = '', to = ''] = text.split(' > ');
      return edge(from, to);
    }),
    interfaceInputs: anySlots(inputs),
    interfaceOutputs: anySlots(outputs),
  };
}

/** Options for a run with these node types. Emitted events are pushed to `events`. */
export function options(types: NodeType[], more: Partial<RunOptions> = {}): RunOptions & { events: EngineEvent[] } {
  const events: EngineEvent[] = [];
  return {
    nodeTypes: new Map(types.map((type) => [type.type, type])),
    workflows: new Map(),
    invocationId: 'inv_test',
    callTool: async (toolId, args) => ({ toolId, args }),
    emit: (event) => events.push(event),
    events,
    ...more,
  };
}

/** The failure of a run, or undefined if it succeeds. */
export function failure(run: Promise<unknown>): Promise<ToolError | undefined> {
  return run.then(
    () => undefined,
    (error: ToolError) => error,
  );
}

/** The final status of each node by id. */
export function statuses(events: EngineEvent[]): Record<string, string> {
  return Object.fromEntries(events.flatMap((e) => (e.event === 'node' ? [[e.state.nodeId, e.state.status]] : [])));
}

/** `give` returns its input `value`, `add` returns the sum of its multi-input `parts`, and `fail` throws. */
export const give = nodeType('test:give', ['value'], ({ value = null }) => ({ value }));
export const add = nodeType('test:add', [], ({ parts = [] }) => ({ value: sum(parts) }), {
  inputs: { parts: { dataFlowType: 'FLOAT', multi: true } },
});
export const fail = nodeType('test:fail', ['value'], () => {
  throw new Error('no luck');
});
export const rescue = nodeType(
  'test:rescue',
  [],
  ({ value = null }, { failures }) => ({ value: failures.value?.message ?? value }),
  { inputs: { value: { ...ANY, acceptsFailure: true } } },
);
/** Returns its value at the output `yes` or `no`. */
export const branch = nodeType(
  'test:branch',
  ['take', 'value'],
  ({ take, value = null }) => ({ [take === 'yes' ? 'yes' : 'no']: value }),
  {
    outputs: { yes: ANY, no: ANY },
  },
);

export const TYPES = [give, add, fail, rescue, branch];

function sum(parts: Json): number {
  return Array.isArray(parts) ? parts.reduce<number>((total, part) => total + Number(part), 0) : Number.NaN;
}
