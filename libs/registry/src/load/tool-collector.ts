import type { Problem, Tool, ToolKind } from '@errand/contracts';
import { compare, rcompare } from 'semver';
import type { Declaration } from '../files/file-shapes.js';
import type { ReportProblem } from '../files/library-problem.js';
import { locateProblem } from '../files/locate-problem.js';
import type { ScriptFolder } from './locate-script.js';
import { makeToolOnce, type MakeOptions } from './make-tool.js';
import type { SourceFile } from '../files/source-file.js';
import type { ResolvedImplementation } from './resolve-implementation.js';

/** Where a tool is declared. */
export interface Origin {
  /** The declaration itself, which is another object when the file has changed. */
  written: object;
  source: SourceFile;
  /** The declaration inside the file, as a JSON Pointer. */
  at: string;
  /** How the file calls the id of the tool and what runs it. */
  fields: { id: string; implementation: string };
  /** The file's name inside its library; `core` for built-in tools. */
  name: string;
  /** The version of a tool that declares none. */
  version?: string;
}

function optionsOf({ name, version }: Origin, aliases: string[]): MakeOptions {
  return { source: name, ...(version !== undefined && { version }), aliases };
}

/** Takes in the tools one by one and refuses what is wrong, with its place. */
export class ToolCollector {
  private readonly tools = new Map<string, Tool[]>();
  /** By tool, the folder `scripts` that its script lies in. */
  readonly scriptFolders = new Map<Tool, ScriptFolder>();
  /** What stands under `aliases`, and whose it is. */
  private readonly claims: { alias: string; index: number; tool: Tool; origin: Origin }[] = [];
  /** By tool, the file that declares it. */
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
      this.claims.push({ alias: claimed, index, tool, origin });
    }
  }

  /** Reports what is wrong with a declaration that defines no tool, because something else is wrong with it. */
  examine(declared: Declaration, kind: ToolKind, origin: Origin): void {
    const resolved: ResolvedImplementation = { implementation: { type: 'external' }, kind };
    // What an implementation would declare is not known here, so that examples are checked only against the file's own parameters.
    const { examples: _examples, ...others } = declared;
    const { problems } = makeToolOnce(
      origin.written,
      declared.parameters ? declared : others,
      resolved,
      optionsOf(origin, []),
    );
    for (const problem of problems) this.refuse(origin, problem);
  }

  /** Tells of aliases that mean nothing, for they are the id of a tool or claimed by several: see `ToolNames`. */
  reportUnusableAliases(): void {
    const claimants = new Map<string, Set<string>>();
    for (const { toolId, aliases = [] } of [...this.tools.values()].flat()) {
      for (const alias of aliases) claimants.set(alias, (claimants.get(alias) ?? new Set()).add(toolId));
    }
    for (const { alias, index, tool, origin } of this.claims) {
      const other = [...claimants.get(alias)!].find((toolId) => toolId !== tool.toolId);
      const isId = this.tools.has(alias) && alias !== tool.toolId;
      if (!isId && other === undefined) continue;
      const why = isId ? 'a tool has it as its id' : `'${other}' claims it, too, so that it means neither`;
      this.refuse(origin, { path: `/aliases/${index}`, message: `The alias '${alias}' leads nowhere: ${why}` });
    }
  }

  refuse({ source, at }: Origin, problem: Problem): void {
    this.report(locateProblem(source, { ...problem, path: `${at}${problem.path}` }));
  }

  /** The versions of every tool, newest first, by id. */
  all(): ReadonlyMap<string, readonly Tool[]> {
    return this.tools;
  }
}
