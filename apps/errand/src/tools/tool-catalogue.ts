import { existsSync } from 'node:fs';
import { type Tool, type ToolInterface, type ToolKind, KnownError } from '@errand/contracts';
import type { Registry } from '@errand/registry';
import { getJson } from '../api-client.js';
import { findRunningStack, type RunningStack } from '../running-stack.js';
import { describeFiles, describeStack } from './name-source.js';
import { libraryFolders, openRegistry } from './offline-registry.js';

/** The filters of a list of tools. */
export interface Filter {
  q?: string;
  namespace?: string;
  tag?: string;
  kind?: ToolKind;
  agent?: string;
}

/** A tool with all its versions, newest first. */
export type FoundTool = ToolInterface & Partial<Pick<Tool, 'source' | 'runner'>> & { versions: string[] };

/** The tools for the command line: those of a running stack, or those in the files of the library. */
interface ToolCatalogue {
  /** The source of the tools, in a few words. */
  from: string;
  /** The address of the API that calls these tools. */
  api: string;
  list(filter: Filter): Promise<ToolInterface[]>;
  /** @throws KnownError with the nearest name if the tool does not exist */
  show(id: string): Promise<FoundTool>;
}

const DEFAULT_API = 'http://127.0.0.1:3000';

/**
 * The tools of the running stack, or of the library if no stack runs. With `folder`, the tools in the files of that folder.
 * @throws KnownError if the folder does not exist
 */
export async function openCatalogue(folder?: string): Promise<ToolCatalogue> {
  const stack = findRunningStack(process.env['ERRAND_DATA_DIR'] ?? '.errand');
  if (stack && folder === undefined) return catalogueOfStack(stack);
  if (folder !== undefined && !existsSync(folder)) throw new KnownError(`The folder '${folder}' does not exist`);
  const folders = folder === undefined ? libraryFolders() : [folder];
  return catalogueOfFiles(await openRegistry(folders), folders, stack);
}

function catalogueOfStack(stack: RunningStack): ToolCatalogue {
  const api = stack.url;
  return {
    from: describeStack(stack),
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

function catalogueOfFiles(
  registry: Registry,
  folders: readonly string[],
  stack: RunningStack | undefined,
): ToolCatalogue {
  return {
    from: describeFiles(folders, stack),
    api: stack?.url ?? DEFAULT_API,
    async list(filter) {
      if (filter.agent !== undefined && !registry.hasAgent(filter.agent))
        throw new KnownError(`Unknown agent '${filter.agent}'; the agents are: ${registry.agentIds().join(', ')}`);
      return registry.list(filter);
    },
    async show(id) {
      const tool = registry.find(id);
      if (tool) return { ...tool, versions: registry.versions(tool.toolId).map(({ version }) => version) };
      const suggestion = registry.suggest(id);
      throw new KnownError(`Unknown tool '${id}'${suggestion ? `, did you mean '${suggestion}'?` : ''}`);
    },
  };
}
