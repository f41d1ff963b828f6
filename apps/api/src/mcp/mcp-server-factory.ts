import { isObject } from '@errand/contracts';
import { Queues, readSealingKey } from '@errand/queue';
import { Injectable } from '@nestjs/common';
import type {
  CallToolResult,
  ListToolsResult,
  McpServer,
  McpServerOptions,
  Result,
  ServerContext,
  StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { ApiLogger } from '../api-tokens.js';
import { McpCalls } from './mcp-calls.js';
import { McpCatalogue, type McpToolPage } from './mcp-catalogue.js';
import {
  clientTermsOf,
  TASKS_EXTENSION,
  type McpCallState,
  type McpExchange,
  type McpRequest,
  type McpSdk,
} from './mcp-exchange.js';
import { toProtocolError } from './mcp-refusals.js';
import { McpTasks } from './mcp-tasks.js';

const IDENTITY = { name: 'errand', title: 'Errand', version: '1' };

/** Makes the server of one request. It has no state of its own: its handlers read the registry and Redis. */
@Injectable()
export class McpServerFactory {
  /** Tool schemas that name request headers for parameters. Finding out walks the whole schema. */
  private readonly withHeaders = new WeakMap<object, boolean>();

  constructor(
    private readonly catalogue: McpCatalogue,
    private readonly calls: McpCalls,
    private readonly tasks: McpTasks,
    private readonly queues: Queues,
    private readonly logger: ApiLogger,
  ) {}

  /** @param era `modern` is 2026-07-28; earlier revisions have no tasks and no notifications */
  make(sdk: McpSdk, exchange: McpExchange, era: 'modern' | 'legacy', options: McpServerOptions): McpServer {
    const isModern = era === 'modern';
    const product = new sdk.McpServer(IDENTITY, {
      ...options,
      capabilities: { tools: { listChanged: isModern }, ...(isModern && { extensions: { [TASKS_EXTENSION]: {} } }) },
      requestState: { verify: async (state, context) => (await this.codec(sdk, exchange)).verify(state, context) },
    });
    product.toolInputSchemaJson = (name) => this.headerSchemaOf(name, exchange);
    const serve = async <T>(context: ServerContext, handle: (request: McpRequest) => Promise<T> | T): Promise<T> => {
      try {
        const seal = async (state: McpCallState) => (await this.codec(sdk, exchange)).mint(state, context);
        return await handle({ sdk, exchange, context, client: clientTermsOf(context), seal });
      } catch (error) {
        throw toProtocolError(sdk, exchange, error, this.logger);
      }
    };
    const { server } = product;
    server.setRequestHandler('tools/list', ({ params }, context) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parameters of every tool are an object schema
      serve(context, () => this.list(exchange, params?.cursor) as unknown as ListToolsResult),
    );
    server.setRequestHandler('tools/call', ({ params }, context) =>
      serve(context, async (request) => projected(sdk, server, await this.calls.call(params, request))),
    );
    if (!isModern) return product;
    const onTask = (method: string, handle: (taskId: string, request: McpRequest) => Promise<Result>) =>
      server.setRequestHandler(method, { params: TASK_PARAMS }, ({ taskId }, context) =>
        serve(context, (request) => handle(taskId, request)),
      );
    onTask('tasks/get', (taskId, request) => this.tasks.get(taskId, request));
    onTask('tasks/update', (taskId, request) => this.tasks.update(taskId, request));
    onTask('tasks/cancel', (taskId, request) => this.tasks.cancel(taskId, request));
    return product;
  }

  /** A page of the tools. Their JSON goes around the SDK, which would serialize it again for each request. A batch has no `list`. */
  private list({ agent, list }: McpExchange, cursor: string | undefined): McpToolPage {
    const page = this.catalogue.page(agent, cursor);
    if (!list) return page;
    list.tools = this.catalogue.jsonOf(agent, page);
    return { ...page, tools: [] };
  }

  /** Signs the states of this installation. A state is valid for its tenant and endpoint, as long as its invocation can be kept. */
  private async codec(sdk: McpSdk, { scope, agent }: McpExchange) {
    return sdk.createRequestStateCodec<McpCallState>({
      key: await readSealingKey(this.queues),
      ttlSeconds: this.queues.retention.ageSeconds,
      bind: () => `${scope.tenant}\0${agent ?? ''}`,
    });
  }

  /** The schema of a tool whose parameters have request headers (`x-mcp-header`). The SDK compares these with the arguments. */
  private headerSchemaOf(name: string, { agent }: McpExchange): Record<string, unknown> | undefined {
    const parameters = this.catalogue.find(name, agent)?.parameters;
    if (!parameters) return undefined;
    let hasHeaders = this.withHeaders.get(parameters);
    if (hasHeaders === undefined) {
      hasHeaders = JSON.stringify(parameters).includes('"x-mcp-header"');
      this.withHeaders.set(parameters, hasHeaders);
    }
    return hasHeaders ? parameters : undefined;
  }
}

/**
 * Revisions before 2026-07-28 allow only objects as `structuredContent`, so that the SDK wraps other values for them. A task and a question
 * are results of `tools/call` for the SDK, too, although its type has only the questions.
 */
function projected(sdk: McpSdk, server: McpServer['server'], result: Result): CallToolResult {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK passes results of extensions through
  return sdk.isCallToolResult(result) ? server.projectCallToolResult(result, undefined) : (result as CallToolResult);
}

/** The parameters of the requests of the tasks extension. The SDK takes the answers out of them. */
const TASK_PARAMS: StandardSchemaV1<unknown, { taskId: string }> = {
  '~standard': {
    version: 1,
    vendor: 'errand',
    validate: (value) =>
      isObject(value) && typeof value.taskId === 'string'
        ? { value: { taskId: value.taskId } }
        : { issues: [{ message: 'taskId must be a text' }] },
  },
};
