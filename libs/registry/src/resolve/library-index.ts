import type { Tool } from '@errand/contracts';
import { ToolDefiner } from './define-tool.js';
import type { Library } from '../load/library.js';
import { matchesGlob } from './matches-glob.js';
import { ToolNames } from './resolve-name.js';
import { ToolSearch } from '../search/search-tools.js';

/** A library with its indexes. It is replaced as a whole, so that no response mixes two states of the files. */
export class LibraryIndex {
  readonly names: ToolNames;
  readonly definer: ToolDefiner;
  /** The tools that each agent sees, and the search index; both are made at the first use. */
  private readonly inventories = new Map<string, (toolId: string) => boolean>();
  private index?: ToolSearch;

  constructor(readonly library: Library) {
    this.names = new ToolNames(library.tools);
    this.definer = new ToolDefiner(library, (agentId) => this.inventoryOf(agentId));
  }

  /** The ids of all tools, sorted. */
  ids(): string[] {
    return [...this.library.tools.keys()].toSorted();
  }

  search(): ToolSearch {
    this.index ??= new ToolSearch(this.ids().flatMap((toolId) => this.names.find(toolId) ?? []));
    return this.index;
  }

  /** The tools that an agent sees in their default versions, sorted by id. */
  private inventoryOf(agentId: string): Tool[] {
    return this.ids()
      .filter((toolId) => this.sees(agentId, toolId))
      .flatMap((toolId) => this.names.find(toolId) ?? []);
  }

  /** Whether an agent sees a tool. Without an agent, all tools are visible; an unknown agent sees none. */
  sees(agent: string | undefined, toolId: string): boolean {
    if (agent === undefined) return true;
    let inventory = this.inventories.get(agent);
    if (!inventory) {
      const entries = this.library.agents.get(agent)?.tool_ids_inventory;
      if (!entries) return false;
      inventory = inventoryOf(entries);
      this.inventories.set(agent, inventory);
    }
    return inventory(toolId);
  }
}

function inventoryOf(entries: readonly string[]): (toolId: string) => boolean {
  const ids = new Set(entries);
  const globs = entries.filter((entry) => entry.includes('*'));
  return (toolId) => ids.has(toolId) || globs.some((glob) => matchesGlob(toolId, glob));
}
