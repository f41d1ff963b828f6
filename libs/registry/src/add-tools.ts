import { join, relative, sep } from 'node:path';
import type { NodeType } from '@errand/contracts';
import type { Service } from './service-door.js';
import type { Declaration, DeclaredImplementation, FileShapes, Handler } from './file-shapes.js';
import type { WorkflowFile, Written, Plugin } from './library-files.js';
import { RESERVED_NAMESPACES } from './open-plugin.js';
import { resolveImplementation, type Surroundings } from './resolve-implementation.js';
import type { Origin, Shelf } from './shelf.js';
import { faultsOfInterface, toolOfWorkflow } from './tool-of-workflow.js';

/** Everything that tools can be made of. */
export interface Ingredients {
  folders: readonly string[];
  plugins: readonly Plugin[];
  nodeTypes: ReadonlyMap<string, NodeType>;
  services: ReadonlyMap<string, Service>;
  workflows: ReadonlyMap<string, WorkflowFile>;
}

type ToolFile = Written<FileShapes['tool']>;

/** Makes all tools: those of the plugins, those of the tool files, and one of each workflow. */
export function addTools(shelf: Shelf, files: readonly ToolFile[], ingredients: Ingredients): void {
  for (const plugin of ingredients.plugins) addPluginTools(shelf, plugin, ingredients);
  for (const file of files) addToolFile(shelf, file, ingredients);
  for (const workflow of ingredients.workflows.values()) {
    if (workflow.plugin === undefined) addWorkflowTool(shelf, workflow, ingredients.folders);
  }
  shelf.reportVainAliases();
}

function addPluginTools(shelf: Shelf, plugin: Plugin, ingredients: Ingredients): void {
  const { folder, root, source, manifest, namespaces, isBuiltin } = plugin;
  const scripts = { path: join(folder, 'scripts'), library: root, name: `plugins/${manifest.name}/scripts` };
  for (const [index, written] of (manifest.tools ?? []).entries()) {
    const { id, implementation, ...declared } = written;
    const origin: Origin = {
      written,
      source,
      at: `/tools/${index}`,
      fields: { id: '/id', implementation: '/implementation' },
      name: isBuiltin ? 'core' : nameInLibrary(source.file, ingredients.folders),
      version: manifest.version,
    };
    if (namespaces.includes(namespaceOf(id))) {
      addTool(shelf, { ...declared, toolId: id }, implementation, { ...ingredients, folder, scripts }, origin);
    } else {
      const message = `The id '${id}' must begin with the name of the plugin, '${manifest.name}:'`;
      shelf.refuse(origin, { path: '/id', message });
    }
  }
}

function addToolFile(shelf: Shelf, { value, source, folder }: ToolFile, ingredients: Ingredients): void {
  const { handler, ...declared } = value;
  const origin: Origin = {
    written: value,
    source,
    at: '',
    fields: { id: '/toolId', implementation: '/handler' },
    name: nameInLibrary(source.file, ingredients.folders),
  };
  const namespace = namespaceOf(declared.toolId);
  if (RESERVED_NAMESPACES.includes(namespace)) {
    shelf.refuse(origin, { path: '/toolId', message: `The namespace '${namespace}' is reserved; choose another` });
    return;
  }
  const scripts = { path: join(folder, 'scripts'), library: folder, name: 'scripts' };
  addTool(shelf, declared, implementationOf(handler), { ...ingredients, folder, scripts }, origin);
}

function addWorkflowTool(shelf: Shelf, { id, workflow, source }: WorkflowFile, folders: readonly string[]): void {
  const { kind, ...declared } = toolOfWorkflow(id, workflow);
  const fields = { id: '/id', implementation: '/nodes' };
  const origin = { written: workflow, source, at: '', fields, name: nameInLibrary(source.file, folders) };
  const faults = faultsOfInterface(workflow);
  for (const fault of faults) shelf.refuse(origin, fault);
  if (faults.length === 0) shelf.add(declared, { implementation: { type: 'workflow', workflowId: id }, kind }, origin);
}

function addTool(
  shelf: Shelf,
  declared: Declaration,
  implementation: DeclaredImplementation,
  around: Surroundings,
  origin: Origin,
): void {
  const resolved = resolveImplementation(implementation, around);
  if ('message' in resolved) {
    shelf.refuse(origin, { ...resolved, path: `${origin.fields.implementation}${resolved.path}` });
  } else {
    shelf.add(declared, resolved, origin, around.scripts);
  }
}

function implementationOf(handler: Handler): DeclaredImplementation {
  return handler.type === 'external-script' ? { ...handler, type: 'script' } : { ...handler, type: 'service' };
}

function namespaceOf(toolId: string): string {
  return toolId.split(':', 1)[0]!;
}

function nameInLibrary(file: string, folders: readonly string[]): string {
  const names = folders.map((folder) => relative(folder, file)).filter((name) => !name.startsWith('..'));
  return (names[0] ?? file).split(sep).join('/');
}
