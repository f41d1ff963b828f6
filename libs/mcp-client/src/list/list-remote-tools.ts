import { setImmediate as letOthersRun } from 'node:timers/promises';
import { isDeeperThan, isObject, sizeOf, type JsonSchema, type RemoteTool } from '@errand/contracts';
import type { Connection } from '../connect/server-connection.js';

export const MAX_TOOLS = 5_000;
const MAX_PAGES = 200;
/** In characters and values. */
const MAX_TOOL_SIZE = 256 * 1024;
const MAX_LIST_SIZE = 8 * 1024 ** 2;
const MAX_NAME = 200;
const MAX_NAMED = 5;
/** The number of tools that are read before the event loop gets a turn. */
const AT_A_TIME = 250;
const LIST_MS = 60_000;

/** The tools of a server, and what was left out. */
export interface ListedTools {
  tools: RemoteTool[];
  /** One sentence each, without the name of the server. */
  leftOut: string[];
  /** The time for which the server says that the list is valid, in ms. */
  ttlMs?: number;
}

/**
 * Lists the tools of a server, page by page: at most 5,000 tools and 8 MB, within 60 s. Tools above a limit are left out.
 * @throws RemoteError
 */
export async function listTools(connection: Connection, signal: AbortSignal): Promise<ListedTools> {
  if (!connection.hasTools) return { tools: [], leftOut: [] };
  const gathered = new GatheredTools(connection.server.mask.json);
  const limit = AbortSignal.timeout(LIST_MS);
  const either = AbortSignal.any([signal, limit]);
  let cursor: string | undefined;
  let ttlMs: number | undefined;
  try {
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page = await connection.raw.request('tools/list', cursor === undefined ? {} : { cursor }, either);
      ttlMs ??= typeof page.ttlMs === 'number' && page.ttlMs > 0 ? page.ttlMs : undefined;
      await gathered.add(Array.isArray(page.tools) ? page.tools : []);
      const next = typeof page.nextCursor === 'string' ? page.nextCursor : undefined;
      if (next === undefined || next === cursor || gathered.isFull) return gathered.ended(ttlMs);
      cursor = next;
    }
    return gathered.ended(ttlMs, `lists more than ${MAX_PAGES} pages of tools; the others are left out`);
  } catch (thrown) {
    signal.throwIfAborted();
    throw connection.explain(limit.aborted ? new ListTimeout() : thrown, LIST_MS);
  }
}

class ListTimeout extends Error {
  readonly code = 'REQUEST_TIMEOUT';
}

class GatheredTools {
  isFull = false;
  private readonly tools = new Map<string, RemoteTool>();
  private readonly twice = new Set<string>();
  private readonly refused = new Set<string>();
  private readonly leftOut: string[] = [];
  private size = 0;

  constructor(private readonly withoutSecrets: Connection['server']['mask']['json']) {}

  async add(listed: readonly unknown[]): Promise<void> {
    for (const [index, item] of listed.entries()) {
      if (index % AT_A_TIME === 0) await letOthersRun();
      if (this.tools.size >= MAX_TOOLS) return this.fill(`lists more than ${MAX_TOOLS} tools; the others are left out`);
      const size = sizeOf(item, MAX_TOOL_SIZE);
      if (this.size + size > MAX_LIST_SIZE) return this.fill(`lists more than ${MAX_LIST_SIZE / 1024 ** 2} MB of tools; the others are left out`); // prettier-ignore
      this.take(item, size);
    }
  }

  ended(ttlMs: number | undefined, last?: string): ListedTools {
    const twice = named(this.twice, 'lists two tools of one name, of which the first is used');
    const refused = named(this.refused, `lists tools that are too large or have no name and inputSchema`);
    const leftOut = [...this.leftOut, ...twice, ...refused, ...(last === undefined ? [] : [last])];
    return { tools: [...this.tools.values()], leftOut, ...(ttlMs !== undefined && { ttlMs }) };
  }

  private take(item: unknown, size: number): void {
    const name = isObject(item) && typeof item.name === 'string' ? item.name.slice(0, MAX_NAME) : '(no name)';
    const tool = size > MAX_TOOL_SIZE ? undefined : readTool(item);
    if (!tool) this.refused.add(name);
    else if (this.tools.has(tool.name)) this.twice.add(name);
    else {
      this.size += size;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a mask keeps the shape of JSON
      this.tools.set(tool.name, this.withoutSecrets(tool as never) as never);
    }
  }

  private fill(why: string): void {
    this.isFull = true;
    this.leftOut.push(why);
  }
}

/** Reads what Errand needs of a listed tool; undefined if it is no tool. */
function readTool(item: unknown): RemoteTool | undefined {
  if (!isObject(item) || isDeeperThan(item)) return undefined;
  const { name, title, description, inputSchema, outputSchema, annotations } = item;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME || !isObject(inputSchema)) return undefined;
  const hints = isObject(annotations) ? annotations : {};
  const shownTitle = typeof title === 'string' ? title : hints.title;
  return {
    name,
    ...(typeof shownTitle === 'string' && { title: shownTitle }),
    ...(typeof description === 'string' && { description }),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed from JSON
    inputSchema: inputSchema as JsonSchema,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed from JSON
    ...(isObject(outputSchema) && { outputSchema: outputSchema as JsonSchema }),
    ...(hints.readOnlyHint === true && { readOnly: true }),
    ...(hints.idempotentHint === true && { idempotent: true }),
  };
}

function named(names: ReadonlySet<string>, what: string): string[] {
  if (names.size === 0) return [];
  const first = [...names].slice(0, MAX_NAMED).map((name) => JSON.stringify(name));
  const more = names.size > MAX_NAMED ? ` and ${names.size - MAX_NAMED} more` : '';
  return [`${what}: ${first.join(', ')}${more}`];
}
