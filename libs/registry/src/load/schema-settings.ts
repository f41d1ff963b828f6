import {
  isObject,
  own,
  type Json,
  type JsonSchema,
  type NodeType,
  type Problem,
  type StoredNode,
  type StoredWorkflow,
} from '@errand/contracts';
import { escapeKey } from '../files/json-pointer.js';
import { faultsOfOutput } from '../validate/validate-output.js';

/** A setting of a node that holds a JSON Schema, and its JSON Pointer into the workflow. */
export interface SchemaSetting {
  node: StoredNode;
  path: string;
  schema: JsonSchema | boolean;
}

/** The schemas in the settings of nodes (`schemaSetting` of a node type). A setting of another type has its own problem. */
export function schemaSettingsOf({ nodes }: StoredWorkflow, nodeTypes: ReadonlyMap<string, NodeType>): SchemaSetting[] {
  return nodes.flatMap((node, index) => {
    const name = nodeTypes.get(node.type)?.schemaSetting;
    const settings = isObject(node.configValues) ? node.configValues : {};
    const schema = name === undefined ? undefined : own(settings, name);
    const path = `/nodes/${index}/configValues/${escapeKey(name ?? '')}`;
    return isSchema(schema) ? [{ node, path, schema }] : [];
  });
}

/** The problems of one such schema, as JSON Pointers into the workflow, with the id of the node. */
export function faultsOfSetting({ node, path }: SchemaSetting, faults: readonly Problem[]): Problem[] {
  return faults.map((fault) => ({
    ...fault,
    path: path + fault.path,
    message: `The schema of node '${node.id}' (${node.type}) is invalid: ${fault.message}`,
  }));
}

const known = new WeakMap<object, readonly Problem[]>();

/** Compiles all schemas in the settings of nodes, once for each. */
export function faultsOfSettings(workflow: StoredWorkflow, nodeTypes: ReadonlyMap<string, NodeType>): Problem[] {
  return schemaSettingsOf(workflow, nodeTypes).flatMap((setting) =>
    faultsOfSetting(setting, faultsOnce(setting.schema)),
  );
}

function faultsOnce(schema: JsonSchema | boolean): readonly Problem[] {
  if (!isObject(schema)) return [];
  const faults = known.get(schema) ?? faultsOfOutput(schema);
  known.set(schema, faults);
  return faults;
}

function isSchema(value: Json | undefined): value is JsonSchema | boolean {
  return typeof value === 'boolean' || isObject(value);
}
