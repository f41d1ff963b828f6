import type {
  Json,
  JsonObject,
  NodeType,
  Problem,
  RemoteServer,
  ServiceType,
  StoredWorkflow,
  Tool,
  ToolLookup,
  ToolInterface,
  ToolKind,
} from '@errand/contracts';
import { LibraryIndex } from './library-index.js';
import type { DefinedTool } from './defined-tool.js';
import type { AgentProfile } from '../files/agent-profile.js';
import type { Library } from '../load/library.js';
import type { LibraryProblem } from '../files/library-problem.js';
import { loadLibrary, type LibraryOptions } from '../load/load-library.js';
import { validateArguments } from '../validate/check-arguments.js';
import { validateOutput } from '../validate/validate-output.js';

/** The viewer: an agent sees the tools of its inventory; without an agent, all tools are visible. */
export interface View {
  agent?: string | undefined;
}

export interface ToolFilter extends View {
  namespace?: string | undefined;
  tag?: string | undefined;
  kind?: ToolKind | undefined;
  /** Search words; the tools are then ranked, see `Registry.search`. */
  q?: string | undefined;
}

const MAX_GUESSES = 20;

/** The tools, workflows, services and agents of all libraries. */
export class Registry {
  constructor(private libraryIndex: LibraryIndex) {}

  /** Replaces the library at once and as a whole. Tools that were found before stay unchanged. */
  replace(library: Library): void {
    this.libraryIndex = new LibraryIndex(library);
  }

  /** A registry that keeps the current library, for several consistent lookups. */
  snapshot(): Registry {
    return new Registry(this.libraryIndex);
  }

  /**
   * Finds a tool by id or alias, optionally with a version range (`core:echo@^1`). The default is the newest stable
   * version.
   */
  find(name: string, view: View = {}): Tool | undefined {
    const tool = this.libraryIndex.names.find(name);
    return tool && this.sees(view, tool.toolId) ? tool : undefined;
  }

  /** The nearest known name for an unknown one. */
  suggest(name: string, view: View = {}): string | undefined {
    return this.libraryIndex.names.suggest(name, (toolId) => this.sees(view, toolId));
  }

  /** All versions of a tool, newest first; empty if the tool is unknown. */
  versions(name: string, view: View = {}): readonly Tool[] {
    return this.libraryIndex.names.versions(name).filter(({ toolId }) => this.sees(view, toolId));
  }

  /** The matching tools in their default versions, sorted by id, or by rank with search words (`q`). */
  list({ q = '', ...filter }: ToolFilter = {}): Tool[] {
    return q.trim() === '' ? this.pick(this.libraryIndex.ids(), filter) : this.search(q, filter);
  }

  /**
   * The tools with the words in their id, name, description, tags or parameters, best first, in their default versions.
   * Prefixes and small misspellings count less than exact words. A tool need not have all words.
   */
  search(q: string, filter: Omit<ToolFilter, 'q'> = {}): Tool[] {
    return this.pick(this.libraryIndex.search().find(q), filter);
  }

  /**
   * The tools that an agent sees, for a parser. It makes at most 20 suggestions, because each one compares all tool
   * names.
   */
  toolLookup(agent?: string): ToolLookup {
    let guesses = 0;
    return {
      find: (name) => this.find(name, { agent }),
      suggest: (name) => (guesses++ < MAX_GUESSES ? this.suggest(name, { agent }) : undefined),
      validate: (tool, args) => validateArguments(tool, args),
    };
  }

  hasAgent(id: string): boolean {
    return this.libraryIndex.library.agents.has(id);
  }

  agent(id: string): AgentProfile | undefined {
    return this.libraryIndex.library.agents.get(id);
  }

  agentIds(): string[] {
    return [...this.libraryIndex.library.agents.keys()];
  }

  /** The tool `agent:<id>`. Undefined if the agent is unknown or its program is elsewhere. */
  toolOfAgent(id: string): Tool | undefined {
    return this.libraryIndex.library.tools.get(`agent:${id}`)?.[0];
  }

  /** The problems of the file of an agent. */
  problemsOfAgent(id: string): LibraryProblem[] {
    const file = this.libraryIndex.library.agentFiles.get(id);
    return this.problems().filter((problem) => problem.file === file);
  }

  /** The problems of the files of the library. */
  problems(): readonly LibraryProblem[] {
    return this.libraryIndex.library.problems;
  }

  /** Fills in defaults and validates arguments: see `validateArguments`. */
  validate(tool: ToolInterface, args: JsonObject): { arguments: JsonObject; problems: Problem[] } {
    return validateArguments(tool, args);
  }

  /** The problems of a result with respect to the output schema. */
  validateOutput(tool: ToolInterface, value: Json): Problem[] {
    return validateOutput(tool, value);
  }

  /**
   * The definition of a tool and its digest. If callers choose the script of the tool, the arguments name it; without
   * them, the definition has no script.
   * @throws ToolError SecurityError, ScriptError or ResourceLimitError for a script that must not or cannot be packed
   */
  define(tool: Tool, args?: JsonObject): Promise<DefinedTool> {
    return this.libraryIndex.definer.define(tool, args);
  }

  /** As `define`, without a promise. Undefined for agents and scripts. */
  defineNow(tool: Tool, args?: JsonObject): DefinedTool | undefined {
    return this.libraryIndex.definer.defineNow(tool, args);
  }

  /**
   * The files of the script bundle of a tool, relative to its folder; empty for a tool without its own script.
   * @throws ToolError as `define`
   */
  scriptFiles(tool: Tool): string[] {
    return this.libraryIndex.definer.scriptFiles(tool);
  }

  get nodeTypes(): ReadonlyMap<string, NodeType> {
    return this.libraryIndex.library.nodeTypes;
  }

  get services(): ReadonlyMap<string, ServiceType> {
    return this.libraryIndex.library.services;
  }

  /** The servers of `mcp.json` files, by name. */
  get servers(): ReadonlyMap<string, RemoteServer> {
    return this.libraryIndex.library.servers;
  }

  get workflows(): ReadonlyMap<string, StoredWorkflow> {
    return this.libraryIndex.library.workflows;
  }

  private pick(toolIds: Iterable<string>, { namespace, tag, kind, ...view }: Omit<ToolFilter, 'q'>): Tool[] {
    return [...toolIds]
      .filter((toolId) => namespace === undefined || toolId.startsWith(`${namespace}:`))
      .flatMap((toolId) => this.find(toolId, view) ?? [])
      .filter((tool) => tag === undefined || tool.tags.includes(tag))
      .filter((tool) => kind === undefined || tool.kind === kind);
  }

  private sees({ agent }: View, toolId: string): boolean {
    return this.libraryIndex.sees(agent, toolId);
  }
}

/** Loads the library folders and the built-in plugin. Mistakes in files do not stop it: see `problems()`. */
export async function loadRegistry(options: LibraryOptions): Promise<Registry> {
  return new Registry(new LibraryIndex(await loadLibrary(options)));
}
