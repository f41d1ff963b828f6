import { existsSync } from 'node:fs';
import { type Tool, type ToolInterface, type ToolKind, KnownError } from '@errand/contracts';
import type { Registry } from '@errand/registry';
import { getJson } from '../api-client.js';
import { findRunningStack } from '../running-stack.js';
import { shownPath } from '../shown-path.js';
import { libraryFolders, openRegistry } from './offline-registry.js';

/** What narrows a list of tools. */
export interface Filter {
  q?: string;
  namespace?: string;
  tag?: string;
  kind?: ToolKind;
  agent?: string;
}

/** A tool with all its versions, newest first. */
export type FoundTool = ToolInterface & Partial<Pick<Tool, 'source' | 'runner'>> & { versions: string[] };

/** Where the command line reads tools: a running stack, or the files of the library. */
export interface ToolCatalogue {
  /** Which of them, in a few words. */
  from: string;
  /** Where a call of these tools goes. */
  api: string;
  list(filter: Filter): Promise<ToolInterface[]>;
  /** @throws KnownError with the nearest name where there is no such tool */
  show(id: string): Promise<FoundTool>;
}

const DEFAULT_API = 'http://127.0.0.1:3000';

/**
 * The running stack's tools if there is one, else the library's; `folder` asks for the files of that one.
 * @throws KnownError where there is no such folder
 */
export async function openCatalogue(folder?: string): Promise<ToolCatalogue> {
  const stack = folder === undefined ? findRunningStack(process.env['ERRAND_DATA_DIR'] ?? '.errand') : undefined;
  if (stack) return catalogueOfStack(stack.url);
  if (folder !== undefined && !existsSync(folder)) throw new KnownError(`There is no folder '${folder}'`);
  const folders = folder === undefined ? libraryFolders() : [folder];
  return catalogueOfFiles(await openRegistry(folders), folders);
}

function catalogueOfStack(api: string): ToolCatalogue {
  return {
    from: `from the stack on ${api}`,
    api,
    async list(filter) {
      const tools: ToolInterface[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const query = new URLSearchParams({ ...filter, limit: '1000', ...(cursor && { cursor }) });
        const page: { items: ToolInterface[]; nextCursor: string | null } = await getJson(`${api}/v1/tools?${query}`);
        tools.push(...page.items);
        cursor = page.nextCursor;
      }
      return tools;
    },
    show: (id) => getJson(`${api}/v1/tools/${encodeURIComponent(id)}`),
  };
}

function catalogueOfFiles(registry: Registry, folders: readonly string[]): ToolCatalogue {
  return {
    from: `from the files in ${folders.map(shownPath).join(' and ')} (no stack runs)`,
    api: DEFAULT_API,
    async list(filter) {
      if (filter.agent !== undefined && !registry.hasAgent(filter.agent))
        throw new KnownError(`There is no agent '${filter.agent}'; there are: ${registry.agentIds().join(', ')}`);
      return registry.list(filter);
    },
    async show(id) {
      const tool = registry.find(id);
      if (tool) return { ...tool, versions: registry.versions(tool.toolId).map(({ version }) => version) };
      const suggestion = registry.suggest(id);
      throw new KnownError(`There is no tool '${id}'${suggestion ? `, did you mean '${suggestion}'?` : ''}`);
    },
  };
}
