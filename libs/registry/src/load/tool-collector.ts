import type { Problem, Tool, ToolKind } from '@errand/contracts';
import { compare, rcompare } from 'semver';
import type { Declaration } from '../files/file-shapes.js';
import type { ReportProblem } from '../files/library-problem.js';
import { locateProblem } from '../files/locate-problem.js';
import type { ScriptFolder } from './locate-script.js';
import { makeToolOnce, type MakeOptions } from './make-tool.js';
import type { SourceFile } from '../files/source-file.js';
import type { ResolvedImplementation } from './resolve-implementation.js';

/** The place of the declaration of a tool. */
export interface Origin {
  /** The declaration; a new object after a change of the file. */
  written: object;
  source: SourceFile;
  /** The declaration in the file, as a JSON Pointer. */
  at: string;
  /** The names of the fields for the id and the implementation in this kind of file. */
  fields: { id: string; implementation: string };
  /** The name of the file in its library; `core` for built-in tools. */
  name: string;
  /** The default version. */
  version?: string;
  /** Whether the declaration is used without checks. */
  isTrusted?: boolean;
}

function optionsOf({ name, version, isTrusted = false }: Origin, aliases: string[]): MakeOptions {
  return { source: name, ...(version !== undefined && { version }), aliases, isTrusted };
}

/** Collects tools and refuses wrong ones with the position of the problem. */
export class ToolCollector {
  private readonly tools = new Map<string, Tool[]>();
  /** The folder `scripts` of each tool with a script. */
  readonly scriptFolders = new Map<Tool, ScriptFolder>();
  /** The declared aliases and names for MCP, with their tools. */
  private readonly claims: { alias: string; path: string; tool: Tool; origin: Origin }[] = [];
  /** The file of each tool. */
  readonly files = new Map<Tool, string>();

  constructor(
    readonly report: ReportProblem,
    private readonly aliasOf: (toolId: string) => string,
  ) {}

  add(declared: Declaration, resolved: ResolvedImplementation, origin: Origin, scriptFolder?: ScriptFolder): void {
    const { toolId } = declared;
    const alias = this.aliasOf(toolId);
    const aliases = alias === toolId ? [] : [alias];
    const { tool, problems } = makeToolOnce(origin.written, declared, resolved, optionsOf(origin, aliases));
    const others = this.tools.get(toolId) ?? [];
    const same = others.find(({ version }) => compare(version, tool.version) === 0);
    if (same) {
      const message = `There is a tool '${toolId}' ${tool.version} already, in ${same.source}; give this one another version or id`;
      this.refuse(origin, { path: origin.fields.id, message });
    }
    for (const problem of problems) this.refuse(origin, problem);
    if (same || problems.length > 0) return;
    this.tools.set(
      toolId,
      [...others, tool].toSorted((a, b) => rcompare(a.version, b.version)),
    );
    this.files.set(tool, origin.source.file);
    if (scriptFolder !== undefined) this.scriptFolders.set(tool, scriptFolder);
    for (const [index, claimed] of (declared.aliases ?? []).entries()) {
      this.claims.push({ alias: claimed, path: `/aliases/${index}`, tool, origin });
    }
    const name = declared.mcp?.name;
    if (name !== undefined) this.claims.push({ alias: name, path: '/mcp/name', tool, origin });
  }

  /** Reports the problems of a declaration that defines nothing because of another problem. */
  examine(declared: Declaration, kind: ToolKind, origin: Origin): void {
    const resolved: ResolvedImplementation = { implementation: { type: 'external' }, kind };
    // The parameters of the implementation are not known here, so examples are only checked against those of the file.
    const { examples: _examples, ...others } = declared;
    const { problems } = makeToolOnce(
      origin.written,
      declared.parameters ? declared : others,
      resolved,
      optionsOf(origin, []),
    );
    for (const problem of problems) this.refuse(origin, problem);
  }

  /** Reports aliases that have no effect: one is the id of a tool, or several tools claim it. See `ToolNames`. */
  reportUnusableAliases(): void {
    const claimants = new Map<string, Set<string>>();
    for (const { toolId, aliases = [] } of [...this.tools.values()].flat()) {
      for (const alias of aliases) claimants.set(alias, (claimants.get(alias) ?? new Set()).add(toolId));
    }
    for (const { alias, path, tool, origin } of this.claims) {
      const other = [...(claimants.get(alias) ?? [])].find((toolId) => toolId !== tool.toolId);
      const isId = this.tools.has(alias) && alias !== tool.toolId;
      if (!isId && other === undefined) continue;
      const why = isId ? 'a tool has it as its id' : `'${other}' claims it too`;
      const what = path === '/mcp/name' ? 'name for MCP' : 'alias';
      this.refuse(origin, { path, message: `The ${what} '${alias}' has no effect: ${why}` });
    }
  }

  refuse({ source, at }: Origin, problem: Problem): void {
    this.report(locateProblem(source, { ...problem, path: `${at}${problem.path}` }));
  }

  /** The versions of each tool by id, newest first. */
  all(): ReadonlyMap<string, readonly Tool[]> {
    return this.tools;
  }
}
