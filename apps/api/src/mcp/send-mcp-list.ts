import type { ServerResponse } from 'node:http';
import type { McpListResponse } from './mcp-list-responses.js';

/** Sends a known response to `tools/list` with the id of this request. Its parts are not copied. */
export function sendMcpList(raw: ServerResponse, { headers, parts, end }: McpListResponse, id: string | number): void {
  const pieces = [...parts, Buffer.from(JSON.stringify(id) + end)];
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  raw.cork();
  raw.writeHead(200, { ...headers, 'content-length': length });
  for (const piece of pieces) raw.write(piece);
  raw.end();
  raw.uncork();
}
