import { join, relative, sep } from 'node:path';
import type { NodeType } from '@errand/contracts';
import type { Service } from '../plugins/call-service.js';
import type { Declaration, DeclaredImplementation, FileShapes, Handler } from '../files/file-shapes.js';
import type { WorkflowFile, LocatedValue, Plugin } from '../files/library-files.js';
import { RESERVED_NAMESPACES } from '../plugins/open-plugin.js';
import { resolveImplementation, type ToolContext } from './resolve-implementation.js';
import type { Origin, ToolCollector } from './tool-collector.js';
import { toolOfWorkflow } from './workflow-tool.js';

/** Partial files: their declarations are checked, but define nothing. */
interface PartialFiles {
  plugins: readonly Plugin[];
  tools: readonly ToolFile[];
}

/** Everything that tools can be made from. */
interface ToolSources {
  folders: readonly string[];
  plugins: readonly Plugin[];
  nodeTypes: ReadonlyMap<string, NodeType>;
  services: ReadonlyMap<string, Service>;
  workflows: ReadonlyMap<string, WorkflowFile>;
}

type ToolFile = LocatedValue<FileShapes['tool']>;

/** Makes the tools of the plugins, of the tool files and of the workflows. Partial files are only checked. */
export function addTools(
  collector: ToolCollector,
  files: readonly ToolFile[],
  ingredients: ToolSources,
  partials: PartialFiles,
): void {
  for (const plugin of ingredients.plugins) addPluginTools(collector, plugin, ingredients);
  for (const file of files) addToolFile(collector, file, ingredients);
  for (const plugin of partials.plugins) addPluginTools(collector, plugin, ingredients, true);
  for (const file of partials.tools) addToolFile(collector, file, ingredients, true);
  for (const workflow of ingredients.workflows.values()) {
    if (workflow.plugin === undefined) addWorkflowTool(collector, workflow, ingredients.folders);
  }
}

function addPluginTools(collector: ToolCollector, plugin: Plugin, ingredients: ToolSources, isPartial = false): void {
  const { folder, root, source, manifest, namespaces, isBuiltin, isTrusted, hasCode } = plugin;
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
      isTrusted,
    };
    const isOwn = id === '' || manifest.name === '' || namespaces.includes(namespaceOf(id));
    const message = `The id '${id}' must begin with the name of the plugin, '${manifest.name}:'`;
    if (!isOwn) collector.refuse(origin, { path: '/id', message });
    const isOfCode = implementation?.type === 'node' || implementation?.type === 'service';
    const meant = isOfCode && !hasCode ? undefined : implementation;
    const around = { ...ingredients, folder, scripts };
    addTool(collector, { ...declared, toolId: id }, meant, around, { ...origin, isPartial: isPartial || !isOwn });
  }
}

function addToolFile(
  collector: ToolCollector,
  { value, source, folder }: ToolFile,
  ingredients: ToolSources,
  isPartial = false,
): void {
  const { handler, ...declared } = value;
  const origin: Origin = {
    written: value,
    source,
    at: '',
    fields: { id: '/toolId', implementation: '/handler' },
    name: nameInLibrary(source.file, ingredients.folders),
  };
  const namespace = namespaceOf(declared.toolId);
  const isReserved = RESERVED_NAMESPACES.includes(namespace);
  const message = `The namespace '${namespace}' is reserved; choose another`;
  if (isReserved) collector.refuse(origin, { path: '/toolId', message });
  const around = {
    ...ingredients,
    folder,
    scripts: { path: join(folder, 'scripts'), library: folder, name: 'scripts' },
  };
  // A partial file may lack its handler.
  const implementation = handler && implementationOf(handler);
  addTool(collector, declared, implementation, around, { ...origin, isPartial: isPartial || isReserved });
}

function addWorkflowTool(
  collector: ToolCollector,
  { id, workflow, source }: WorkflowFile,
  folders: readonly string[],
): void {
  const { kind, ...declared } = toolOfWorkflow(id, workflow);
  const fields = { id: '/id', implementation: '/nodes' };
  const origin = { written: workflow, source, at: '', fields, name: nameInLibrary(source.file, folders) };
  collector.add(declared, { implementation: { type: 'workflow', workflowId: id }, kind }, origin);
}

function addTool(
  collector: ToolCollector,
  declared: Declaration,
  implementation: DeclaredImplementation | undefined,
  around: ToolContext,
  { isPartial, ...origin }: Origin & { isPartial: boolean },
): void {
  const resolved = implementation && resolveImplementation(implementation, around);
  const fault = resolved && 'message' in resolved ? resolved : undefined;
  if (fault) collector.refuse(origin, { ...fault, path: `${origin.fields.implementation}${fault.path}` });
  if (resolved && !('message' in resolved) && !isPartial) collector.add(declared, resolved, origin, around.scripts);
  // Without an implementation, `script` allows the fields that only scripts may have.
  else collector.examine(declared, implementation?.type ?? 'script', origin);
}

function implementationOf(handler: Handler): DeclaredImplementation {
  return handler.type === 'external-script' ? { ...handler, type: 'script' } : { ...handler, type: 'service' };
}

function namespaceOf(toolId: string): string {
  return toolId.split(':', 1)[0]!;
}

/** The path of a file in its library, with `/`. */
export function nameInLibrary(file: string, folders: readonly string[]): string {
  const names = folders.map((folder) => relative(folder, file)).filter((name) => !name.startsWith('..'));
  return (names[0] ?? file).split(sep).join('/');
}
