import { didYouMean, type Problem, type Tool, type ToolInterface } from '@errand/contracts';
import { maxSatisfying, prerelease, validRange } from 'semver';

/** The tools by all their names. */
export class ToolNames<T extends ToolInterface = Tool> {
  private readonly byAlias = new Map<string, readonly T[]>();

  constructor(private readonly byId: ReadonlyMap<string, readonly T[]>) {
    for (const versions of byId.values()) {
      for (const alias of new Set(versions.flatMap(({ aliases = [] }) => aliases))) {
        // An alias of two tools has no effect, so that a call never runs the wrong tool.
        this.byAlias.set(alias, this.byAlias.has(alias) ? [] : versions);
      }
    }
  }

  /** All versions of an id or alias, newest first. An id comes before an alias. */
  versions(name: string): readonly T[] {
    return this.byId.get(name) ?? this.byAlias.get(name) ?? [];
  }

  /**
   * Finds a tool by id or alias, optionally with a version range (`core:echo@^1`). The default is the newest stable
   * version.
   */
  find(name: string): T | undefined {
    const { base, range } = split(name);
    const versions = this.versions(base);
    if (range === undefined) return newest(versions);
    if (range === '' || validRange(range) === null) return undefined;
    const version = maxSatisfying(
      versions.map((tool) => tool.version),
      range,
    );
    return versions.find((tool) => tool.version === version);
  }

  /**
   * The nearest visible name for an unknown one: another version of a known tool, else an id (see `suggestTool`), else
   * an alias.
   */
  suggest(name: string, isVisible: (toolId: string) => boolean): string | undefined {
    const { base, range } = split(name);
    const known = newest(this.versions(base));
    if (known && range !== undefined && isVisible(known.toolId)) return `${base}@${known.version}`;
    const visible = [...this.byId.keys()].filter(isVisible);
    const aliases = [...this.byAlias].filter(([, versions]) => versions[0] && isVisible(versions[0].toolId));
    return suggestTool(base, visible) ?? didYouMean(base, new Map(aliases).keys());
  }
}

/**
 * The intended id of a wrong name: the only tool with that bare name in any namespace, else the nearest id, else the
 * only tool with the nearest bare name.
 */
export function suggestTool(name: string, toolIds: readonly string[]): string | undefined {
  const bare = foldName(bareName(name));
  const called = toolIds.filter((toolId) => foldName(bareName(toolId)) === bare);
  if (called.length === 1 && bare !== '') return called[0];
  const near = didYouMean(name, toolIds);
  if (near !== undefined) return near;
  const closest = didYouMean(bareName(name), toolIds.map(bareName));
  const meant = toolIds.filter((toolId) => bareName(toolId) === closest);
  return meant.length === 1 ? meant[0] : undefined;
}

function split(name: string): { base: string; range?: string } {
  const at = name.indexOf('@');
  return at > 0 ? { base: name.slice(0, at), range: name.slice(at + 1) } : { base: name };
}

/** The newest stable version of each list. Reading the versions takes longer than the rest of a search. */
const NEWEST = new WeakMap<readonly ToolInterface[], ToolInterface>();

function newest<T extends ToolInterface>(versions: readonly T[]): T | undefined {
  const known = NEWEST.get(versions) as T | undefined;
  if (known) return known;
  const found = versions.find(({ version }) => prerelease(version) === null) ?? versions[0];
  if (found) NEWEST.set(versions, found);
  return found;
}

function bareName(toolId: string): string {
  return toolId.slice(toolId.indexOf(':') + 1);
}

function foldName(name: string): string {
  return name.toLowerCase().replace(/[_\-\s]/g, '');
}

/** The problem of an unknown name, with the nearest known one. */
export function unknownName(path: string, message: string, name: string, known: Iterable<string>): Problem {
  const suggestion = didYouMean(name, known);
  return { path, message, ...(suggestion !== undefined && { suggestion }) };
}
