import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server, type McpHttpHandler, type ServerContext } from '@modelcontextprotocol/server';

/** A tool of a test server. `run` gives a result of MCP. */
export interface TestTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: object;
  outputSchema?: object;
  annotations?: object;
  run?: (args: Record<string, unknown>, context: ServerContext) => unknown;
}

/** Answers a request before the server sees it; returns false to pass it on. */
type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A real MCP server over real HTTP, whose tools and answers a test chooses. */
export class RemoteServer {
  tools: TestTool[] = [];
  /** The arguments of each call, by tool. */
  readonly calls: { tool: string; args: Record<string, unknown> }[] = [];
  /** The methods of all requests with their headers. */
  readonly requests: { method: string; headers: IncomingMessage['headers'] }[] = [];
  intercept: Intercept = () => false;
  /** More handlers, such as those of tasks. */
  prepare: (server: Server) => void = () => undefined;
  ttlMs: number | undefined;
  url = '';
  private http: HttpServer | undefined;
  private readonly handler: McpHttpHandler;

  constructor(options: { legacy?: 'stateless' | 'reject' } = {}) {
    this.handler = createMcpHandler(() => this.makeServer(), { ...options, keepAliveMs: 0 });
  }

  async start(port = 0): Promise<this> {
    const serve = toNodeHandler(this.handler);
    this.http = createServer((request, response) => {
      this.requests.push({ method: String(request.headers['mcp-method'] ?? request.method), headers: request.headers });
      if (!this.intercept(request, response)) void serve(request, response);
    });
    await new Promise<void>((resolve) => this.http!.listen(port, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/mcp`;
    return this;
  }

  /** Tells every client that the list has changed. */
  announceChange(): void {
    this.handler.notify.toolsChanged();
  }

  count(tool: string): number {
    return this.calls.filter((call) => call.tool === tool).length;
  }

  /** Closes the server with its connections, like a crash. */
  async close(): Promise<void> {
    const { http } = this;
    this.http = undefined;
    http?.closeAllConnections();
    await new Promise((resolve) => (http ? http.close(resolve) : resolve(undefined)));
  }

  private makeServer(): Server {
    const server = new Server(
      { name: 'test-server', version: '1.0.0' },
      { capabilities: { tools: { listChanged: true }, logging: {} } },
    );
    this.prepare(server);
    server.setRequestHandler('tools/list', () => ({
      tools: this.tools.map(({ run: _run, inputSchema, ...tool }) => ({
        inputSchema: inputSchema ?? { type: 'object' },
        ...tool,
      })) as never,
      ...(this.ttlMs !== undefined && { ttlMs: this.ttlMs }),
    }));
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const args = params.arguments ?? {};
      this.calls.push({ tool: params.name, args });
      const tool = this.tools.find(({ name }) => name === params.name);
      return (await (tool?.run ?? textOf)(args, context)) as never;
    });
    return server;
  }
}

function textOf(args: Record<string, unknown>) {
  return { content: [{ type: 'text', text: JSON.stringify(args) }] };
}

/** A result with one text. */
export function text(value: string) {
  return { content: [{ type: 'text', text: value }] };
}
