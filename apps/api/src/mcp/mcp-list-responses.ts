import { isObject } from '@errand/contracts';
import { Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { LibraryReloads } from '../tools/library-providers.js';
import type { ToolsJson } from './mcp-catalogue.js';

/** The most kept responses, and the longest request (in characters of its parameters and headers) that has one. */
const MAX_RESPONSES = 1_024;
const MAX_KEY = 4_096;
/** The request headers that the SDK reads. */
const HEADERS = [
  'accept',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
];
const FIELDS = ['jsonrpc', 'id', 'method', 'params'];
/** The key of the empty list in the JSON of the SDK. Quotes in strings are escaped, so that no string contains it. */
const EMPTY_LIST = '"tools":[]';
const TOOLS_KEY = '"tools":';
const ID_KEY = '"id":';

/** One `tools/list`. Its response depends on the key, the id and the state of the library. */
export interface McpListRequest {
  /** Undefined for a request that is too long. */
  key: string | undefined;
  id: string | number;
  /** The number of the state of the library. */
  state: number;
  /** The JSON of the tools, which the handler sets. The SDK gets an empty list. */
  tools?: ToolsJson;
}

/** A response with the status 200, without the id of its request: the id follows the parts, and `end` follows the id. */
export interface McpListResponse {
  headers: Record<string, string>;
  parts: readonly Buffer[];
  end: string;
}

/**
 * The responses of the SDK to `tools/list`, for requests that come again. The SDK checks and serves the first one. An equal request with
 * another id gets the same bytes with its own id. The tools in them are the buffers of the catalogue, so that an entry is small.
 */
@Injectable()
export class McpListResponses {
  private readonly known = new Map<string, McpListResponse>();
  private state = 0;

  constructor(reloads: LibraryReloads) {
    reloads.on('reload', () => {
      this.state++;
      this.known.clear();
    });
  }

  /** Undefined for any message that is not exactly one `tools/list` with an id. @param agent the agent of the endpoint */
  read(body: unknown, headers: IncomingHttpHeaders, agent: string | undefined): McpListRequest | undefined {
    if (!isObject(body) || body.method !== 'tools/list' || body.jsonrpc !== '2.0') return undefined;
    const { id, params } = body;
    if (typeof id !== 'string' && !(typeof id === 'number' && Number.isSafeInteger(id))) return undefined;
    if (!Object.keys(body).every((name) => FIELDS.includes(name))) return undefined;
    // The lists of an endpoint are the same for all callers, so that the key has no tenant.
    const key = JSON.stringify([agent, ...HEADERS.map((name) => headers[name]), params]);
    return { id, state: this.state, key: key.length > MAX_KEY ? undefined : key };
  }

  find({ key }: McpListRequest): McpListResponse | undefined {
    const known = key === undefined ? undefined : this.known.get(key);
    if (key === undefined || !known) return undefined;
    // The least recently used response is the first one of the map.
    this.known.delete(key);
    this.known.set(key, known);
    return known;
  }

  /** The response of the SDK with the tools in the place of its empty list. It is kept if its form allows that. */
  async complete(request: McpListRequest, pending: Promise<Response>): Promise<Response> {
    const response = await pending;
    if (response.body === null) return response;
    const { status, headers } = response;
    const body = Buffer.from(await response.arrayBuffer());
    const at = request.tools ? body.indexOf(EMPTY_LIST) : -1;
    if (!request.tools || at < 0) return new Response(body, { status, headers });
    const front = body.subarray(0, at + TOOLS_KEY.length);
    const back = body.subarray(at + EMPTY_LIST.length);
    if (status === 200) this.keep(request, request.tools, headers, front, back);
    return new Response(Buffer.concat([front, request.tools.json, back]), { status, headers });
  }

  /**
   * Only the last field of a message may differ, and only the buffers of the catalogue are kept. The other parts are copied, because a part
   * of the body would keep the whole body, with an id of any length.
   */
  private keep(request: McpListRequest, tools: ToolsJson, headers: Headers, front: Buffer, back: Buffer): void {
    const { key, state } = request;
    const id = JSON.stringify(request.id);
    const idAt = back.lastIndexOf(`${ID_KEY}${id}}`) + ID_KEY.length;
    if (idAt < ID_KEY.length || key === undefined || !tools.isKept || state !== this.state) return;
    const parts = [Buffer.from(front), tools.json, Buffer.from(back.subarray(0, idAt))];
    const end = back.subarray(idAt + Buffer.byteLength(id)).toString();
    this.known.set(key, { headers: Object.fromEntries(headers), parts, end });
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_RESPONSES && oldest !== undefined) this.known.delete(oldest);
  }
}
