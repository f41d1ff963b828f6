import type {
  Json,
  JsonObject,
  NodeType,
  Problem,
  ServiceType,
  StoredWorkflow,
  Tool,
  ToolBook,
  ToolInterface,
  ToolKind,
} from '@errand/contracts';
import { ToolDefiner, type DefinedTool } from './define-tool.js';
import type { AgentProfile } from './file-shapes.js';
import type { Library } from './library.js';
import type { LibraryProblem } from './library-problem.js';
import { loadLibrary, type LibraryOptions } from './load-library.js';
import { matchesGlob } from './match-glob.js';
import { ToolNames } from './resolve-name.js';
import { validateArguments } from './validate-arguments.js';
import { validateOutput } from './validate-output.js';

/** Whose eyes to look through: an agent sees the tools of its inventory alone, nobody in particular sees all. */
export interface View {
  agent?: string | undefined;
}

export interface ToolFilter extends View {
  namespace?: string | undefined;
  tag?: string | undefined;
  kind?: ToolKind | undefined;
  /** Words that must all occur in id, name, description or tags, in any letter case. */
  q?: string | undefined;
}

/** What there is to call. */
export class Registry {
  private readonly names: ToolNames;
  private readonly definer = new ToolDefiner();

  constructor(private readonly library: Library) {
    this.names = new ToolNames(library.tools);
  }

  /** By id or alias, with a version range (`core:echo@^1`) or without; by default the newest stable version. */
  find(name: string, view: View = {}): Tool | undefined {
    const tool = this.names.find(name);
    return tool && this.sees(view, tool.toolId) ? tool : undefined;
  }

  /** The nearest name to one that `find` does not know. */
  suggest(name: string, view: View = {}): string | undefined {
    return this.names.suggest(name, (toolId) => this.sees(view, toolId));
  }

  /** All versions of a tool, newest first; none where it is not known. */
  versions(name: string, view: View = {}): readonly Tool[] {
    return this.names.versions(name).filter(({ toolId }) => this.sees(view, toolId));
  }

  /** The tools that fit, each in its default version, by id. */
  list({ namespace, tag, kind, q = '', ...view }: ToolFilter = {}): Tool[] {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    return [...this.library.tools.keys()]
      .toSorted()
      .flatMap((toolId) => this.find(toolId, view) ?? [])
      .filter((tool) => namespace === undefined || tool.toolId.startsWith(`${namespace}:`))
      .filter((tool) => tag === undefined || tool.tags.includes(tag))
      .filter((tool) => kind === undefined || tool.kind === kind)
      .filter((tool) => words.every((word) => textOf(tool).includes(word)));
  }

  /** The tools that an agent sees, for a parser. */
  toolBook(agent?: string): ToolBook {
    return {
      find: (name) => this.find(name, { agent }),
      suggest: (name) => this.suggest(name, { agent }),
      validate: (tool, args) => validateArguments(tool, args),
    };
  }

  hasAgent(id: string): boolean {
    return this.library.agents.has(id);
  }

  agent(id: string): AgentProfile | undefined {
    return this.library.agents.get(id);
  }

  agentIds(): string[] {
    return [...this.library.agents.keys()];
  }

  /** What is wrong with the files of the library. */
  problems(): readonly LibraryProblem[] {
    return this.library.problems;
  }

  /** Fills in defaults and checks arguments that are about to be used: their templates are resolved (see `validateArguments`). */
  validate(tool: ToolInterface, args: JsonObject): { arguments: JsonObject; problems: Problem[] } {
    return validateArguments(tool, args, 'resolved');
  }

  /** What is wrong with a tool's result by its output schema. */
  validateOutput(tool: ToolInterface, value: Json): Problem[] {
    return validateOutput(tool, value);
  }

  /**
   * A tool with all that its run needs, and the digest that names it. The arguments name the script of a tool whose callers choose
   * it; where they are not known yet, the definition holds no script.
   * @throws ToolError SecurityError, ScriptError or ResourceLimitError for a script that may not or cannot travel
   */
  define(tool: Tool, args?: JsonObject): Promise<DefinedTool> {
    return this.definer.define(this.library, tool, args);
  }

  get nodeTypes(): ReadonlyMap<string, NodeType> {
    return this.library.nodeTypes;
  }

  get services(): ReadonlyMap<string, ServiceType> {
    return this.library.services;
  }

  get workflows(): ReadonlyMap<string, StoredWorkflow> {
    return this.library.workflows;
  }

  private sees({ agent }: View, toolId: string): boolean {
    if (agent === undefined) return true;
    return this.library.agents.get(agent)?.tool_ids_inventory.some((glob) => matchesGlob(toolId, glob)) ?? false;
  }
}

/** Loads the library folders and the built-in plugin. Mistakes in files do not stop it: see `problems()`. */
export async function loadRegistry(options: LibraryOptions): Promise<Registry> {
  return new Registry(await loadLibrary(options));
}

function textOf({ toolId, displayName, description, tags }: Tool): string {
  return [toolId, displayName, description, ...tags].join('\n').toLowerCase();
}
