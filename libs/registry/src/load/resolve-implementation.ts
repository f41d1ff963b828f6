import { relative, resolve } from 'node:path';
import {
  own,
  type Implementation,
  type JsonSchema,
  type NodeType,
  type Problem,
  type ToolKind,
} from '@errand/contracts';
import type { Service } from '../plugins/call-service.js';
import type { DeclaredImplementation } from '../files/file-shapes.js';
import type { WorkflowFile } from '../files/library-files.js';
import type { ScriptFolder } from './locate-script.js';
import { resolveScript } from './resolve-script.js';
import { outputOfSlots, parametersOfNode } from './schema-of-slots.js';
import { toolOfWorkflow } from './workflow-tool.js';
import { unknownName } from '../resolve/resolve-name.js';

export interface ResolvedImplementation {
  implementation: Implementation;
  kind: ToolKind;
  /** The interface of the implementation, for tools that do not declare their own. */
  parameters?: JsonSchema;
  output?: JsonSchema;
}

/** The things that an implementation can refer to. */
export interface ToolContext {
  /** The folder of the library or plugin that defines the tool. */
  folder: string;
  /** The folder `scripts` of the library or plugin, with its path and its name inside the library. */
  scripts: ScriptFolder & { name: string };
  nodeTypes: ReadonlyMap<string, NodeType>;
  services: ReadonlyMap<string, Service>;
  workflows: ReadonlyMap<string, WorkflowFile>;
}

/** Resolves the implementation of a tool, or returns the problem as a JSON Pointer into the declaration. */
export function resolveImplementation(
  declared: DeclaredImplementation,
  around: ToolContext,
): ResolvedImplementation | Problem {
  switch (declared.type) {
    case 'node':
      return resolveNode(declared, around);
    case 'workflow':
      return resolveWorkflow(declared, around);
    case 'service':
      return resolveService(declared, around);
    case 'script':
      return declared.pathFrom === 'argument'
        ? { implementation: { type: 'caller-script', language: declared.language }, kind: 'script' }
        : resolveScript(declared, around.scripts);
    default:
      return { implementation: declared, kind: 'external' };
  }
}

function resolveNode(
  { nodeType }: Extract<DeclaredImplementation, { type: 'node' }>,
  { nodeTypes }: ToolContext,
): ResolvedImplementation | Problem {
  const node = nodeTypes.get(nodeType);
  if (!node) return unknownName('/nodeType', `There is no node type '${nodeType}'`, nodeType, nodeTypes.keys());
  return {
    implementation: { type: 'node', nodeType },
    kind: 'node',
    parameters: parametersOfNode(node),
    output: outputOfSlots(node.outputs),
  };
}

/**
 * Resolves `workflowId`: an id (workflows of the plugin come first), or the path of a workflow file inside the plugin.
 */
function resolveWorkflow(
  { workflowId }: Extract<DeclaredImplementation, { type: 'workflow' }>,
  { workflows, folder }: ToolContext,
): ResolvedImplementation | Problem {
  const path = resolve(folder, workflowId);
  const all = [...workflows.values()];
  const found =
    all.find(({ plugin, ownId }) => plugin === folder && ownId === workflowId) ??
    workflows.get(workflowId) ??
    all.find(({ source }) => resolve(source.file) === path);
  if (!found) {
    const paths = all.map(({ source }) => relative(folder, source.file));
    const message = `There is no workflow '${workflowId}', or it has problems of its own`;
    return unknownName('/workflowId', message, workflowId.replace(/^workflow:/, ''), [...workflows.keys(), ...paths]);
  }
  const { parameters, output } = toolOfWorkflow(found.id, found.workflow);
  return {
    implementation: { type: 'workflow', workflowId: found.id },
    kind: 'workflow',
    parameters,
    ...(output && { output }),
  };
}

function resolveService(
  { serviceName, methodName }: Extract<DeclaredImplementation, { type: 'service' }>,
  { services }: ToolContext,
): ResolvedImplementation | Problem {
  const service = services.get(serviceName);
  if (!service)
    return unknownName('/serviceName', `There is no service '${serviceName}'`, serviceName, services.keys());
  if (!own(service.methods, methodName)) {
    const message = `The service '${serviceName}' has no method '${methodName}'`;
    return unknownName('/methodName', message, methodName, Object.keys(service.methods));
  }
  const parameters = own(service.parameters, methodName);
  return {
    implementation: { type: 'service', serviceName, methodName },
    kind: 'service',
    ...(parameters && { parameters }),
  };
}
