import type { InventoryTool } from '@errand/contracts';
import { ToolSearch } from './search-tools.js';

const searches = new WeakMap<readonly InventoryTool[], ToolSearch>();

/**
 * The ids of the tools of an inventory that fit a query, best first, by the same search as the catalogue. The index is
 * made once for each list.
 */
export function rankTools(inventory: readonly InventoryTool[], query: string): string[] {
  let search = searches.get(inventory);
  if (!search) {
    search = new ToolSearch(inventory.map(({ tool }) => tool));
    searches.set(inventory, search);
  }
  return search.find(query);
}
