import { toMcpTool, type McpTool } from '@errand/agents';
import type { Tool } from '@errand/contracts';
import { aliasOf } from '@errand/protocol';
import { Registry } from '@errand/registry';
import { Injectable } from '@nestjs/common';
import { ProblemError } from '../http/problem-error.js';
import { LibraryReloads } from '../tools/library-providers.js';

const PAGE = 200;
/** How long a client may use a list without asking again, in ms. `list_changed` comes at once. */
const TTL_MS = 30_000;
const CURSOR = 'after:';

/** A page of `tools/list`. */
export interface McpToolPage {
  tools: McpTool[];
  nextCursor?: string;
  ttlMs: number;
  cacheScope: 'private';
}

/** The JSON of the tools of a page. */
export interface ToolsJson {
  json: Buffer;
  /** The catalogue holds it until the library changes. */
  isKept: boolean;
}

/** The tools of an endpoint, sorted by name, and the JSON of their pages by the index of the first tool. */
interface ToolList {
  tools: readonly McpTool[];
  pages: Map<number, Buffer>;
}

/** The tools as MCP clients see them, by name. Each list is made once for each state of the library. */
@Injectable()
export class McpCatalogue {
  private readonly lists = new Map<string | undefined, ToolList>();

  constructor(
    private readonly registry: Registry,
    reloads: LibraryReloads,
  ) {
    reloads.on('reload', () => this.lists.clear());
  }

  /** At most 200 tools behind the cursor, sorted by name. @throws ProblemError for a cursor that no page has given */
  page(agent: string | undefined, cursor: string | undefined): McpToolPage {
    const { tools: all } = this.listOf(agent);
    const begin = cursor === undefined ? 0 : indexBehind(all, nameIn(cursor));
    const tools = all.slice(begin, begin + PAGE);
    const last = begin + PAGE < all.length ? tools.at(-1) : undefined;
    return { tools, ...(last && { nextCursor: cursorOf(last.name) }), ttlMs: TTL_MS, cacheScope: 'private' };
  }

  /**
   * The JSON of the tools of a page. It is made once for the pages of the list as a whole, because thousands of tools are megabytes. A
   * cursor from another state of the library can name any page, which is not kept.
   */
  jsonOf(agent: string | undefined, { tools }: McpToolPage): ToolsJson {
    const { tools: all, pages } = this.listOf(agent);
    const index = tools[0] ? indexBehind(all, tools[0].name) - 1 : 0;
    const json = pages.get(index) ?? Buffer.from(JSON.stringify(tools));
    const isKept = index % PAGE === 0;
    if (isKept) pages.set(index, json);
    return { json, isKept };
  }

  /** The tool of a call: by the name of the list, or by any other name that calls may use. */
  find(name: string, agent: string | undefined): Tool | undefined {
    return this.registry.find(name, { agent });
  }

  suggest(name: string, agent: string | undefined): string | undefined {
    const toolId = this.registry.suggest(name, { agent });
    const tool = toolId === undefined ? undefined : this.registry.find(toolId, { agent });
    return tool && this.nameOf(tool);
  }

  private listOf(agent: string | undefined): ToolList {
    const known = this.lists.get(agent);
    if (known) return known;
    const tools = this.registry.list({ agent }).map((tool) => toMcpTool(tool, this.nameOf(tool)));
    const list = { tools: tools.toSorted((a, b) => compareNames(a.name, b.name)), pages: new Map() };
    this.lists.set(agent, list);
    return list;
  }

  /** The declared name, if a call by it reaches the tool; else the alias. */
  private nameOf({ toolId, mcp }: Tool): string {
    const isOwn = mcp?.name !== undefined && this.registry.find(mcp.name)?.toolId === toolId;
    return isOwn ? mcp.name! : aliasOf(toolId);
  }
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The number of tools whose name is not behind `name`. Binary search. */
function indexBehind(sorted: readonly McpTool[], name: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareNames(sorted[middle]!.name, name) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A cursor names the last tool of its page, so that it stays right when the library changes. */
function cursorOf(name: string): string {
  return Buffer.from(CURSOR + name).toString('base64url');
}

function nameIn(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (text.startsWith(CURSOR) && cursorOf(text.slice(CURSOR.length)) === cursor) return text.slice(CURSOR.length);
  throw new ProblemError('invalid_request', 'cursor must be the nextCursor of a page of this list');
}
