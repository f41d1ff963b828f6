import { loadOnDemand } from '@errand/platform';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { McpHttpHandler, McpServerOptions } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiLogger } from '../api-tokens.js';
import { LibraryReloads } from '../tools/library-providers.js';
import { McpCalls } from './mcp-calls.js';
import { loadMcpSdk, type LoadedSdk } from './load-mcp-sdk.js';
import type { McpExchange } from './mcp-exchange.js';
import { McpListResponses } from './mcp-list-responses.js';
import { McpServerFactory } from './mcp-server-factory.js';
import { sendMcpList } from './send-mcp-list.js';
import { sendMcpResponse, takeResponse } from './send-mcp-response.js';
import { toSdkRequest } from './to-sdk-request.js';

/** The most open `subscriptions/listen` streams of this process. */
const MAX_SUBSCRIPTIONS = 1_024;

/** The SDK, and its HTTP handler, which holds nothing but open streams. */
interface LoadedHandler extends Pick<LoadedSdk, 'toWebRequest'> {
  handler: McpHttpHandler;
}

/** Serves the MCP endpoints. The SDK is loaded with the first request, so that an API without MCP clients does not pay for it. */
@Injectable()
export class McpEndpoint implements BeforeApplicationShutdown {
  private readonly loaded = loadOnDemand(() => this.load());
  private handler: McpHttpHandler | undefined;
  private isClosing = false;

  constructor(
    private readonly factory: McpServerFactory,
    private readonly calls: McpCalls,
    private readonly lists: McpListResponses,
    private readonly logger: ApiLogger,
    private readonly reloads: LibraryReloads,
  ) {}

  /** Answers a POST. The response belongs to this method from now on. */
  async serve(request: FastifyRequest, reply: FastifyReply, agent: string | undefined): Promise<void> {
    const { handler, toWebRequest } = await this.loaded();
    const parsedBody: unknown = request.body;
    const list = this.lists.read(parsedBody, request.headers, agent);
    const known = list && this.lists.find(list);
    if (list && known) return sendMcpList(takeResponse(reply), known, list.id);
    const { raw: response } = reply;
    const closed = new AbortController();
    // An abort makes an error with a stack trace, which a sent response does not need.
    response.once('close', () => response.writableFinished || closed.abort());
    const { traceparent } = request.headers;
    const exchange: McpExchange = {
      scope: request.scope,
      agent,
      trace: typeof traceparent === 'string' ? traceparent : undefined,
      isBusy: () => response.writableNeedDrain,
      list,
    };
    const authInfo = { token: '', clientId: request.scope.tenant, scopes: [], extra: { exchange } };
    const { signal } = closed;
    const sdkRequest =
      parsedBody === undefined
        ? await toWebRequest(request.raw, parsedBody, { signal })
        : toSdkRequest(request.raw, signal);
    const pending = handler.fetch(sdkRequest, { parsedBody, authInfo });
    await sendMcpResponse(reply, exchange, list ? this.lists.complete(list, pending) : pending);
  }

  /** Ends the waits of calls, which are answered, and then the streams. A handler that is loaded later is closed from its begin. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    await this.calls.release();
    await this.handler?.close();
  }

  private async load(): Promise<LoadedHandler> {
    const { sdk, toWebRequest } = await loadMcpSdk();
    const handler = sdk.createMcpHandler(
      ({ era, authInfo }) => this.factory.make(sdk, exchangeOf(authInfo?.extra), era, SHARED_OPTIONS),
      {
        maxSubscriptions: MAX_SUBSCRIPTIONS,
        onerror: (err) => this.logger.info({ reason: err.message }, 'MCP request refused'),
      },
    );
    this.handler = handler;
    this.reloads.on('reload', () => handler.notify.toolsChanged());
    if (this.isClosing) await handler.close();
    return { handler, toWebRequest };
  }
}

/** Made once, because each server would make a validator of its own. Nothing here asks the SDK to check an input. */
const SHARED_OPTIONS: McpServerOptions = {
  jsonSchemaValidator: {
    getValidator: () => {
      throw new Error('The SDK checks no input here');
    },
  },
};

function exchangeOf(extra: Record<string, unknown> | undefined): McpExchange {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `serve` has set it
  return extra?.['exchange'] as McpExchange;
}
