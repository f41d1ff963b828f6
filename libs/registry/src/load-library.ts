import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeType, ServiceType, WorkflowCheck } from '@errand/contracts';
import { namesIn } from './find-files.js';
import type { AgentProfile } from './file-shapes.js';
import type { Library } from './library.js';
import { placeProblem, type LibraryProblem, type Report } from './library-problem.js';
import { readAgents } from './load-agents.js';
import { loadTools } from './load-tools.js';
import { readWorkflows, soundWorkflows, type WorkflowFile } from './load-workflows.js';
import { openPlugin, type Plugin } from './open-plugin.js';
import { Shelf } from './shelf.js';

export interface LibraryOptions {
  /** The library folders. Of two definitions with the same name the one that comes first counts. */
  folders: readonly string[];
  /** The folder of the built-in plugin; it comes before all. */
  coreDir: string;
  /** Says whether a workflow can run; the engine has one. */
  checkWorkflow: WorkflowCheck;
  /** The name of a tool in prompt formats that do not take its id; calls may use it as well. */
  aliasOf?: (toolId: string) => string;
}

/**
 * Loads everything that defines tools: plugins, workflows, tool files, agents. A file with a mistake is left out and reported;
 * the others load.
 */
export async function loadLibrary({ folders, coreDir, checkWorkflow, aliasOf }: LibraryOptions): Promise<Library> {
  const problems: LibraryProblem[] = [];
  const report: Report = (problem) => problems.push(problem);
  const plugins = await openPlugins(folders, coreDir, report);
  const { nodeTypes, services } = gatherCode(plugins, report);
  const files = await readAllWorkflows(folders, plugins, report);
  const workflows = soundWorkflows(files, nodeTypes, checkWorkflow, report);
  const shelf = new Shelf(report, aliasOf ?? ((toolId) => toolId));
  await loadTools(shelf, { folders, plugins, nodeTypes, services, workflows });
  const agents = new Map<string, AgentProfile>();
  for (const folder of folders) await readAgents(folder, agents, new Set(shelf.all().keys()), report);
  return {
    tools: shelf.all(),
    nodeTypes,
    services,
    workflows: new Map([...workflows].map(([id, { workflow }]) => [id, workflow])),
    agents,
    problems,
    scriptFolders: shelf.scriptFolders,
    callerScriptFolders: folders.map((folder) => join(folder, 'scripts')),
  };
}

async function openPlugins(folders: readonly string[], coreDir: string, report: Report): Promise<Plugin[]> {
  const core = await openPlugin(join(coreDir, 'plugin.yaml'), true, report);
  const plugins = new Map(core && [[core.manifest.name, core]]);
  for (const folder of folders) {
    for (const file of await manifestsOf(folder, report)) {
      const plugin = await openPlugin(file, false, report);
      if (!plugin) continue;
      const { name } = plugin.manifest;
      const message = `There is a plugin '${name}' already, in ${plugins.get(name)?.folder}`;
      if (plugins.has(name)) report(placeProblem(plugin.source, { path: '/name', message }));
      else plugins.set(name, plugin);
    }
  }
  return [...plugins.values()];
}

async function manifestsOf(folder: string, report: Report): Promise<string[]> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) report({ file: folder, message: 'There is no such library folder' });
  const names = await namesIn(join(folder, 'plugins'));
  const files = names.map((name) => join(folder, 'plugins', name, 'plugin.yaml'));
  const present = await Promise.all(
    files.map((file) =>
      stat(file).then(
        () => true,
        () => false,
      ),
    ),
  );
  return files.filter((_file, index) => present[index]);
}

function gatherCode(plugins: readonly Plugin[], report: Report) {
  const nodeTypes = new Map<string, NodeType>();
  const services = new Map<string, ServiceType>();
  for (const plugin of plugins) {
    for (const node of plugin.nodes) nodeTypes.set(node.type, node);
    for (const service of plugin.services) {
      const message = `The service '${service.name}' is left out: another plugin has one of that name`;
      if (services.has(service.name)) report(placeProblem(plugin.source, { path: '/nodes/entry', message }));
      else services.set(service.name, service);
    }
  }
  return { nodeTypes, services };
}

async function readAllWorkflows(
  folders: readonly string[],
  plugins: readonly Plugin[],
  report: Report,
): Promise<Map<string, WorkflowFile>> {
  const files = new Map<string, WorkflowFile>();
  for (const folder of folders) await readWorkflows(join(folder, 'workflows'), true, files, report);
  for (const { folder } of plugins) await readWorkflows(join(folder, 'workflows'), false, files, report);
  return files;
}
