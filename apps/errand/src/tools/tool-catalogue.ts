import { existsSync } from 'node:fs';
import { isObject, type Tool, type ToolInterface, type ToolKind, KnownError } from '@errand/contracts';
import type { Registry } from '@errand/registry';
import { ApiClient } from '../client/api-client.js';
import { RefusedError, UnreachableError } from '../client/client-errors.js';
import { localTarget, namedTarget, type TargetOptions } from '../client/find-target.js';
import { findRunningStack, type RunningStack } from '../running-stack.js';
import { UsageError } from '../command-line.js';
import { libraryFolders, openRegistry } from './offline-registry.js';
import { realPath, shownPath } from '../shown-path.js';

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

/** The options that choose the source of the tools. `library` is a folder. */
export type SourceOptions = TargetOptions & { library?: string };

/**
 * The tools of the Errand that the options or the environment name, else of the running stack, else of the library. With `library`, the
 * tools in the files of that folder.
 * @throws KnownError if the folder does not exist
 */
export async function openCatalogue({ library: folder, ...options }: SourceOptions): Promise<ToolCatalogue> {
  if (folder !== undefined && (options.url !== undefined || options.profile !== undefined))
    throw new UsageError('--library reads files, and --url and --profile ask an API: give one of them');
  const stack = findRunningStack(process.env['ERRAND_DATA_DIR'] || '.errand');
  const target =
    folder === undefined ? (namedTarget(options, process.env) ?? localTarget(options, process.env)) : undefined;
  if (target) return catalogueOfApi(new ApiClient(target), stack);
  if (folder !== undefined && !existsSync(folder)) throw new KnownError(`The folder '${folder}' does not exist`);
  const folders = folder === undefined ? libraryFolders() : [folder];
  return catalogueOfFiles(await openRegistry(folders), folders, stack);
}

function catalogueOfApi(client: ApiClient, stack: RunningStack | undefined): ToolCatalogue {
  const api = client.url;
  return {
    from: describeStack(stack?.url === api ? stack : { url: api }),
    api,
    async list(filter) {
      const tools: ToolInterface[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const query = { ...present(filter), limit: '1000', ...(cursor && { cursor }) };
        const page: ToolPage = requireTools(await client.get<unknown>('/v1/tools', query), api);
        tools.push(...page.items);
        // A server that returns the same cursor again would make an endless list.
        cursor = page.nextCursor === cursor ? null : page.nextCursor;
      }
      return tools;
    },
    show: (id) => showTool(client, id),
  };
}

/** The filters without those that are undefined. A query would have the text 'undefined' for them. */
const present = (filter: Filter): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined));

interface ToolPage {
  items: ToolInterface[];
  nextCursor: string | null;
}

function requireTools(body: unknown, api: string): ToolPage {
  if (isObject(body) && Array.isArray(body.items) && body.items.every(isTool))
    return { nextCursor: null, ...body } as unknown as ToolPage;
  throw new UnreachableError(`The server at ${api} is not Errand: its response is not a list of tools`);
}

const isTool = (tool: unknown) =>
  isObject(tool) && [tool.toolId, tool.kind, tool.description, tool.version].every((text) => typeof text === 'string');

/** Paths below `/v1/tools/` that are not tools. */
const NO_TOOLS = ['', '.', '..', 'prompt', 'problems', 'preview'];

async function showTool(client: ApiClient, id: string): Promise<FoundTool> {
  if (NO_TOOLS.includes(id)) throw new KnownError(`Unknown tool '${id}'`);
  try {
    const tool = await client.get<unknown>(`/v1/tools/${encodeURIComponent(id)}`);
    if (isTool(tool) && Array.isArray((tool as FoundTool).versions)) return tool as FoundTool;
    throw new UnreachableError(`The server at ${client.url} is not Errand: its response is not a tool`);
  } catch (error) {
    if (error instanceof RefusedError && error.refusal.status === 404) throw new KnownError(error.message);
    throw error;
  }
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

/** Where the tools of a running stack come from: its address and its library. */
export function describeStack({ url, library }: Pick<RunningStack, 'url' | 'library'>): string {
  return `from the stack on ${url}${library ? `, which has loaded ${namesOf(library)}` : ''}`;
}

/** Where tools from files come from, and whether the running stack has loaded these files. */
export function describeFiles(
  folders: readonly string[],
  stack: Pick<RunningStack, 'url' | 'library'> | undefined,
): string {
  return `from the files in ${namesOf(folders)} (${stack ? relationOf(folders, stack) : 'no stack runs'})`;
}

function relationOf(folders: readonly string[], { url, library }: Pick<RunningStack, 'url' | 'library'>): string {
  if (!library) return `the stack on ${url} does not say which library it has loaded`;
  const loaded = new Set(library.map(realPath));
  const missing = folders.filter((folder) => !loaded.has(realPath(folder)));
  if (missing.length > 0) return `the stack on ${url} has not loaded ${namesOf(missing)}, but ${namesOf(library)}`;
  const others = library.length > new Set(folders.map(realPath)).size ? ` among ${namesOf(library)}` : '';
  return `the stack on ${url} has loaded this library${others}`;
}

const namesOf = (folders: readonly string[]) =>
  folders.length > 0 ? folders.map(shownPath).join(' and ') : 'no library';
