import { join } from 'node:path';
import type { NodeType, RemoteList, RemoteServer, WorkflowCheck } from '@errand/contracts';
import { addRemoteTools, serversByName, type LocatedServer } from '../remote/add-remote-tools.js';
import { addTools, nameInLibrary } from './add-tools.js';
import { addAgentTools, reportPartialAgents } from './agent-tools.js';
import { agentsById, reportUnknownInventory } from './agents-by-id.js';
import type { Service } from '../plugins/call-service.js';
import type { Library } from './library.js';
import type { LibraryFiles, Plugin, ParsedFile } from '../files/library-files.js';
import type { LibraryProblem, ReportProblem } from '../files/library-problem.js';
import { locateProblem } from '../files/locate-problem.js';
import { reportUnknownTools } from './validate-workflows.js';
import { ToolCollector } from './tool-collector.js';
import { reportPartialWorkflows, selectRunnableWorkflows } from './validate-workflows.js';
import { workflowsById } from './workflows-by-id.js';

export interface AssembleOptions {
  /** The library folders, in order of precedence. */
  folders: readonly string[];
  /** Checks whether a workflow can run. The engine provides it. */
  checkWorkflow: WorkflowCheck;
  /** The name of a tool in prompt formats that do not support its id. Calls may use it as well. */
  aliasOf?: (toolId: string) => string;
  /** The tools of a server of `mcp.json`, as far as they are known. Without it, servers have no tools. */
  remoteListOf?: (server: RemoteServer) => RemoteList | undefined;
  /** Shows control characters and markers of blocks in the words of a server escaped. */
  escapeText?: (text: string) => string;
}

export interface Assembled {
  library: Library;
  /** The definitions of each file, by its path: `tool kb:search`, `workflow hello`. */
  definitions: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Makes a library from parsed files. The result depends only on the files and on which scripts exist. */
export function assembleLibrary(files: LibraryFiles, options: AssembleOptions): Assembled {
  const parsedFiles = [...files.plugins, ...files.workflows, ...files.tools, ...files.agents, ...files.servers];
  const problems: LibraryProblem[] = [...files.problems, ...parsedFiles.flatMap((parsed) => parsed.problems)];
  const report: ReportProblem = (problem) => problems.push(problem);
  const { plugins, refused: refusedPlugins } = pluginsByName(files.plugins, report);
  const { nodeTypes, services } = gatherCode(plugins, report);
  const { named, refused } = workflowsById(contentsOf(files.workflows), plugins, nodeTypes, report);
  const workflows = selectRunnableWorkflows(named, nodeTypes, options.checkWorkflow, report);
  const collector = new ToolCollector(report, options.aliasOf ?? ((toolId) => toolId));
  const ingredients = { folders: options.folders, plugins, nodeTypes, services, workflows };
  addTools(collector, contentsOf(files.tools), ingredients, {
    plugins: [...partialsOf(files.plugins), ...refusedPlugins],
    tools: partialsOf(files.tools),
  });
  const agents = agentsById(contentsOf(files.agents), report);
  const deliberations = addAgentTools(collector, agents, ingredients);
  collector.reportUnusableAliases();
  const servers = serversByName(
    contentsOf(files.servers),
    new Set(plugins.map(({ manifest }) => manifest.name)),
    report,
  );
  const tools = addRemoteTools(servers.values(), collector.all(), remotePartsOf(options), report);
  const mayExist = expectedTools(servers, options);
  const partials = [...partialsOf(files.workflows), ...refused];
  const lookups = { nodeTypes, workflows: new Map([...named].map(([id, { workflow }]) => [id, workflow])) };
  reportPartialWorkflows(partials, lookups, options.checkWorkflow, report);
  reportUnknownTools([...named.values(), ...partials], tools, report, mayExist);
  reportPartialAgents(partialsOf(files.agents), ingredients, report);
  for (const agent of [...contentsOf(files.agents), ...partialsOf(files.agents)])
    reportUnknownInventory(agent, tools, report, mayExist);
  const library = {
    tools,
    nodeTypes,
    services,
    workflows: new Map([...workflows].map(([id, file]) => [id, file.workflow])),
    agents: new Map([...agents].map(([id, { value }]) => [id, value])),
    agentFiles: new Map([...agents].map(([id, { source }]) => [id, source.file])),
    deliberations,
    servers: new Map([...servers].map(([name, { server }]) => [name, server])),
    problems,
    scriptFolders: collector.scriptFolders,
    callerScriptFolders: options.folders.map((folder) => ({ path: join(folder, 'scripts'), library: folder })),
  };
  const definitions = new Map<string, Set<string>>();
  const define = (file: string, what: string) => definitions.set(file, (definitions.get(file) ?? new Set()).add(what));
  for (const { source, manifest, nodes } of plugins) {
    for (const name of [manifest.name, ...nodes.map(({ type }) => type)]) define(source.file, `code ${name}`);
  }
  for (const [id, { source }] of workflows) define(source.file, `workflow ${id}`);
  for (const [tool, file] of collector.files) define(file, `tool ${tool.toolId}`);
  for (const [name, { source }] of servers) define(source.file, `server ${name}`);
  for (const [id, { source }] of agents) define(source.file, `agent ${id}`);
  return { library, definitions };
}

function remotePartsOf({ folders, aliasOf, remoteListOf, escapeText }: AssembleOptions) {
  return {
    listOf: remoteListOf ?? (() => undefined),
    aliasOf: aliasOf ?? ((toolId: string) => toolId),
    escapeText: escapeText ?? ((text: string) => text),
    nameOf: (file: string) => nameInLibrary(file, folders),
  };
}

/** Whether a tool id can belong to a server that has not been listed yet. */
function expectedTools(servers: ReadonlyMap<string, LocatedServer>, { remoteListOf }: AssembleOptions) {
  return (toolId: string): boolean => {
    const found = servers.get(toolId.split(':', 1)[0] ?? '');
    return found !== undefined && remoteListOf?.(found.server)?.tools === undefined;
  };
}

function contentsOf<Content>(parsedFiles: readonly ParsedFile<Content>[]): Content[] {
  return parsedFiles.flatMap(({ content }) => (content === undefined ? [] : [content]));
}

function partialsOf<Content>(parsedFiles: readonly ParsedFile<Content>[]): Content[] {
  return parsedFiles.flatMap(({ partial }) => (partial === undefined ? [] : [partial]));
}

function pluginsByName(
  parsedFiles: readonly ParsedFile<Plugin>[],
  report: ReportProblem,
): { plugins: Plugin[]; refused: Plugin[] } {
  const refused: Plugin[] = [];
  const plugins = new Map<string, Plugin>();
  for (const plugin of contentsOf(parsedFiles)) {
    const { name } = plugin.manifest;
    const message = `There is a plugin '${name}' already, in ${plugins.get(name)?.folder}`;
    if (!plugins.has(name)) plugins.set(name, plugin);
    else {
      refused.push(plugin);
      report(locateProblem(plugin.source, { path: '/name', message }));
    }
  }
  return { plugins: [...plugins.values()], refused };
}

function gatherCode(plugins: readonly Plugin[], report: ReportProblem) {
  const nodeTypes = new Map<string, NodeType>();
  const services = new Map<string, { plugin: Plugin; service: Service }>();
  for (const plugin of plugins) {
    for (const node of plugin.nodes) {
      const message = `The node type '${node.type}' is defined twice; the second is left out`;
      if (nodeTypes.has(node.type)) report(locateProblem(plugin.source, { path: '/nodes/entry', message }));
      else nodeTypes.set(node.type, node);
    }
    for (const service of plugin.services) {
      const isCalledSo = (other: Plugin) => other !== plugin && other.manifest.name === service.name;
      const owner = services.get(service.name)?.plugin ?? plugins.find(isCalledSo);
      const message = `The service '${service.name}' is left out: the name belongs to the plugin '${owner?.manifest.name}'`;
      if (owner) report(locateProblem(plugin.source, { path: '/nodes/entry', message }));
      else services.set(service.name, { plugin, service });
    }
  }
  return { nodeTypes, services: new Map([...services].map(([name, { service }]) => [name, service])) };
}
