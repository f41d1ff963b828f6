import {
  digestOf,
  own,
  ToolError,
  type Definition,
  type JsonObject,
  type ScriptBundle,
  type Tool,
} from '@errand/contracts';
import { AgentDefiner } from './define-agent.js';
import type { DefinedTool } from './defined-tool.js';
import { callingScript } from '../plugins/call-function.js';
import type { Library } from '../load/library.js';
import { locateScript, type ScriptLocation } from '../load/locate-script.js';
import { listTravelFiles, packFiles } from './pack-script.js';
import { RecentValues } from './recent-values.js';
import { workflowsFrom } from './workflows-from.js';

const SCRIPTS = 1_000;
/** Each has at most 4 MB. Scripts of one folder share its files. */
const FOLDERS = 64;

/** Makes the definitions of the tools of a library. An unchanged definition is not made again. */
export class ToolDefiner {
  private readonly simple = new Map<string, DefinedTool>();
  private readonly scripts = new RecentValues<DefinedTool>(SCRIPTS);
  private readonly folders = new RecentValues<ScriptBundle['files']>(FOLDERS);

  private readonly agents: AgentDefiner;

  /** @param inventoryOf the tools that an agent sees, sorted by id */
  constructor(
    private readonly library: Library,
    inventoryOf: (agentId: string) => readonly Tool[],
  ) {
    this.agents = new AgentDefiner({ library, inventoryOf, define: (tool) => this.define(tool) });
  }

  /**
   * @throws ToolError SecurityError, ScriptError or ResourceLimitError for a script that must not or cannot be packed
   */
  async define(tool: Tool, args?: JsonObject): Promise<DefinedTool> {
    const { implementation } = tool;
    if (implementation.type === 'agent') return this.agents.define(tool, implementation.agentId);
    const location = locationOfScript(this.library, tool, args);
    return location ? this.defineScript(tool, location) : this.defineAlone(tool, args);
  }

  /** As `define`, at once, for a tool whose definition needs no files. Undefined for agents and scripts. */
  defineNow(tool: Tool, args?: JsonObject): DefinedTool | undefined {
    const { type } = tool.implementation;
    return type === 'agent' || type === 'script' || type === 'caller-script' ? undefined : this.defineAlone(tool, args);
  }

  private defineAlone(tool: Tool, args: JsonObject | undefined): DefinedTool {
    const root = workflowOf(tool, this.library, args);
    const key = root === undefined ? tool.digest : JSON.stringify([tool.digest, root]);
    let defined = this.simple.get(key);
    if (!defined) {
      defined = digested({ tool, ...(root !== undefined && { workflows: workflowsFrom(root, this.library) }) });
      this.simple.set(key, defined);
    }
    return defined;
  }

  /** The names of the files in the bundle of the script; empty for a tool without its own script. */
  scriptFiles(tool: Tool): string[] {
    const location = locationOfScript(this.library, tool);
    return location ? listTravelFiles(location).map(({ path }) => path) : [];
  }

  /** Makes the definition of a script. It changes with the names, sizes and times of the files. */
  private defineScript(tool: Tool, location: ScriptLocation): Promise<DefinedTool> {
    const files = listTravelFiles(location);
    const state = JSON.stringify(files);
    return this.scripts.get(JSON.stringify([tool.digest, location.folder, location.entry]), state, async () =>
      definedScript(
        tool,
        location,
        await this.folders.get(`${location.folder} ${location.deep}`, state, () => packFiles(files)),
      ),
    );
  }
}

function definedScript(tool: Tool, location: ScriptLocation, files: ScriptBundle['files']): DefinedTool {
  const { implementation } = tool;
  if (!('language' in implementation)) throw new ToolError('ScriptError', `${tool.toolId} is not a script`);
  const { language } = implementation;
  if (location.calls === undefined) return digested({ tool, script: { language, entry: location.entry, files } });
  const called = { file: location.entry, name: location.calls };
  const { path, text } = callingScript(language, called, tool.parameters);
  const calling = { path, base64: Buffer.from(text).toString('base64') };
  return digested({ tool, script: { language, entry: path, files: [...files, calling] } });
}

function locationOfScript(library: Library, tool: Tool, args?: JsonObject): ScriptLocation | undefined {
  const { implementation } = tool;
  if (implementation.type === 'script') {
    const folder = library.scriptFolders.get(tool);
    return locateScript(folder === undefined ? [] : [folder], implementation.scriptPath, implementation.entryPoint);
  }
  if (implementation.type !== 'caller-script') return undefined;
  const path = args?.scriptPath;
  return typeof path === 'string' ? locateScript(library.callerScriptFolders, path) : undefined;
}

/** The workflow that a tool runs: its own, or the one that a call names in `workflowInput` of a node. */
function workflowOf(
  { implementation }: Tool,
  { nodeTypes, workflows }: Library,
  args?: JsonObject,
): string | undefined {
  if (implementation.type === 'workflow') return implementation.workflowId;
  const slot = implementation.type === 'node' ? nodeTypes.get(implementation.nodeType)?.workflowInput : undefined;
  const id = slot === undefined ? undefined : own(args, slot);
  return typeof id === 'string' && workflows.has(id) ? id : undefined;
}

function digested(definition: Definition): DefinedTool {
  return { digest: digestOf(definition), definition };
}
