import { Client, StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client';
import { readEvents } from '../../apps/errand/src/client/read-events.js';

/** The newest revision, and the last one before it. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

export const TASKS = 'io.modelcontextprotocol/tasks';

interface ClientOptions {
  revision?: Revision;
  headers?: Record<string, string>;
  /** What the user of the client answers to each question. Without it, the client cannot ask. */
  onQuestion?: (message: string) => ElicitResult;
}

/** The official client, connected to an endpoint. */
export async function connectMcp(
  url: string,
  { revision = '2026-07-28', headers = {}, onQuestion }: ClientOptions = {},
): Promise<Client> {
  const mode = revision === '2026-07-28' ? 'auto' : 'legacy';
  const capabilities = onQuestion ? { elicitation: {} } : {};
  const client = new Client({ name: 'tester', version: '1' }, { versionNegotiation: { mode }, capabilities });
  if (onQuestion) client.setRequestHandler('elicitation/create', ({ params }) => onQuestion(params.message));
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** A JSON-RPC response with its HTTP status. */
export interface McpReply {
  status: number;
  headers: Headers;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: Record<string, unknown> };
  id?: unknown;
}

/** A request without an SDK, for what its clients do not send. */
export interface RawRequest {
  method: string;
  params?: Record<string, unknown>;
  capabilities?: Record<string, unknown>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Sends one request of revision 2026-07-28. */
export function sendMcp(url: string, { method, params = {}, capabilities = {}, headers = {}, signal }: RawRequest) {
  const { _meta: meta, ...others } = params;
  const name = params['name'] ?? params['taskId'];
  const body = {
    jsonrpc: '2.0',
    id: 7,
    method,
    params: {
      ...others,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': capabilities,
        ...(meta as object),
      },
    },
  };
  return fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
    ...(signal && { signal }),
  });
}

/** Sends one request of revision 2026-07-28 and reads its response, which may be an event stream. */
export async function askMcp(url: string, request: RawRequest): Promise<McpReply> {
  const response = await sendMcp(url, request);
  const { status, headers } = response;
  if (!headers.get('content-type')?.startsWith('text/event-stream'))
    return { status, headers, ...((await response.json()) as object) };
  for await (const { data } of readEvents(response.body!)) {
    const message = JSON.parse(data) as McpReply;
    if (message.id !== undefined) return { ...message, status, headers };
  }
  throw new Error('the stream ended without a response');
}

/** The id of the invocation that a result of `tools/call` names. */
export function invocationIdIn({ _meta: meta }: { _meta?: unknown }): string {
  return (meta as Record<string, string>)['errand/invocationId'] ?? '';
}
