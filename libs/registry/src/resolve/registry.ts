import type {
  Json,
  JsonObject,
  NodeType,
  Problem,
  ServiceType,
  StoredWorkflow,
  Tool,
  ToolLookup,
  ToolInterface,
  ToolKind,
} from '@errand/contracts';
import { LibraryIndex } from './library-index.js';
import type { DefinedTool } from './define-tool.js';
import type { AgentProfile } from '../files/file-shapes.js';
import type { Library } from '../load/library.js';
import type { LibraryProblem } from '../files/library-problem.js';
import { loadLibrary, type LibraryOptions } from '../load/load-library.js';
import { validateArguments } from '../validate/check-arguments.js';
import { validateOutput } from '../validate/validate-output.js';

/** Whose eyes to look through: an agent sees the tools of its inventory alone, nobody in particular sees all. */
export interface View {
  agent?: string | undefined;
}

export interface ToolFilter extends View {
  namespace?: string | undefined;
  tag?: string | undefined;
  kind?: ToolKind | undefined;
  /** Words to look for; the tools come ranked then, see `Registry.search`. */
  q?: string | undefined;
}

const MAX_GUESSES = 20;

/** What there is to call. */
export class Registry {
  constructor(private libraryIndex: LibraryIndex) {}

  /** Goes over to another state of the files, at once and in whole. What was found before stays as it was. */
  replace(library: Library): void {
    this.libraryIndex = new LibraryIndex(library);
  }

  /** The registry as it is now and will stay: for who needs several answers that go together. */
  snapshot(): Registry {
    return new Registry(this.libraryIndex);
  }

  /** By id or alias, with a version range (`core:echo@^1`) or without; by default the newest stable version. */
  find(name: string, view: View = {}): Tool | undefined {
    const tool = this.libraryIndex.names.find(name);
    return tool && this.sees(view, tool.toolId) ? tool : undefined;
  }

  /** The nearest name to one that `find` does not know. */
  suggest(name: string, view: View = {}): string | undefined {
    return this.libraryIndex.names.suggest(name, (toolId) => this.sees(view, toolId));
  }

  /** All versions of a tool, newest first; none where it is not known. */
  versions(name: string, view: View = {}): readonly Tool[] {
    return this.libraryIndex.names.versions(name).filter(({ toolId }) => this.sees(view, toolId));
  }

  /** The tools that fit, each in its default version, by id; with words to look for (`q`), by how well they fit. */
  list({ q = '', ...filter }: ToolFilter = {}): Tool[] {
    return q.trim() === '' ? this.pick(this.libraryIndex.ids(), filter) : this.search(q, filter);
  }

  /**
   * The tools that have the words in their id, name, description, tags or parameters, the best first, each in its default version.
   * Beginnings of words and small misspellings count, less than the words themselves; a tool needs not have all of them.
   */
  search(q: string, filter: Omit<ToolFilter, 'q'> = {}): Tool[] {
    return this.pick(this.libraryIndex.search().find(q), filter);
  }

  /** The tools that an agent sees, for a parser. Makes at most 20 guesses: each looks at the names of all tools. */
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

  /** What is wrong with the files of the library. */
  problems(): readonly LibraryProblem[] {
    return this.libraryIndex.library.problems;
  }

  /** Fills in defaults and checks arguments that are about to be used: see `validateArguments`. */
  validate(tool: ToolInterface, args: JsonObject): { arguments: JsonObject; problems: Problem[] } {
    return validateArguments(tool, args);
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
    return this.libraryIndex.definer.define(tool, args);
  }

  /**
   * The files that travel with the script of a tool, relative to its folder; none where it has no script of its own.
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
