import type { Json, ToolFinder } from '@errand/contracts';
import { aliasOf } from '@errand/protocol';
import type { Registry } from '@errand/registry';

const DEFAULT_LIMIT = 8;

/**
 * Finds the tools that an agent sees, or all tools without an agent. A found tool has what a call of it needs: its id, its
 * name in the definitions of model APIs, its description and its parameters.
 */
export function findToolsOf(registry: Registry, agent: string | undefined): ToolFinder {
  return {
    search({ query, limit }): Json {
      const words = typeof query === 'string' ? query : '';
      const found = registry.search(words, { agent });
      const most = typeof limit === 'number' ? limit : DEFAULT_LIMIT;
      return {
        tools: found.slice(0, most).map(({ toolId, description, parameters }) => ({
          toolId,
          name: aliasOf(toolId),
          description,
          parameters,
        })),
        total: found.length,
      };
    },
  };
}
