import {
  didYouMean,
  own,
  ToolError,
  type Json,
  type JsonObject,
  type NodeType,
  type StoredNode,
  type StoredWorkflow,
} from '@errand/contracts';

const OUTPUT = 'GroupOutput';

/**
 * Wraps a node type in a workflow of one node, so that one code path runs both. `args` go to the input or the setting
 * of the same name; any others to the inputs, if the node type takes inputs of any name.
 * @throws ParameterValidationError for a name that the node type does not have
 */
export function workflowOfNode(nodeType: NodeType, args: JsonObject): StoredWorkflow {
  const node = storedNodeOf(nodeType, args);
  const { id } = node;
  const interfaceOutputs = nodeType.outputsFor?.(node.configValues) ?? nodeType.outputs;
  const edges = Object.keys(interfaceOutputs).map((slot) => ({
    source: id,
    sourceHandle: slot,
    target: OUTPUT,
    targetHandle: slot,
  }));
  return { nodes: [node, { id: OUTPUT, type: `core:${OUTPUT}` }], edges, interfaceInputs: {}, interfaceOutputs };
}

/** The node of that workflow. @throws as `workflowOfNode` */
export function storedNodeOf(nodeType: NodeType, args: JsonObject): StoredNode & { configValues: JsonObject } {
  const inputValues: JsonObject = Object.create(null);
  const configValues: JsonObject = Object.create(null);
  for (const [name, value] of Object.entries(args)) {
    if (own(nodeType.inputs, name)) inputValues[name] = value;
    else if (own(nodeType.config, name) !== undefined) configValues[name] = value;
    else if (nodeType.otherInputs) inputValues[name] = value;
    else throw unknownInput(nodeType, name);
  }
  const id = nodeType.type.slice(nodeType.type.indexOf(':') + 1);
  return { id, type: nodeType.type, inputValues, configValues };
}

/** The workflow outputs by name. An output without a value is null. */
export function namedOutputs({ interfaceOutputs = {} }: StoredWorkflow, outputs: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(interfaceOutputs).map((name) => [name, own(outputs, name) ?? null]));
}

/** The result of a run: the value itself if the workflow has one output, else an object of all outputs. */
export function resultOf(outputs: JsonObject): Json {
  const [first, ...others] = Object.values(outputs);
  return first !== undefined && others.length === 0 ? first : outputs;
}

function unknownInput(nodeType: NodeType, name: string): ToolError {
  const suggestion = didYouMean(name, [...Object.keys(nodeType.inputs), ...Object.keys(nodeType.config ?? {})]);
  const hint = suggestion ? `, did you mean '${suggestion}'?` : '';
  return new ToolError('ParameterValidationError', `${nodeType.type} has no input '${name}'${hint}`);
}
