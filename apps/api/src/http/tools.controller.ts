import type { Drawing, StoredWorkflow, Tool, ToolGraph } from '@errand/contracts';
import { drawGraph, workflowOfNode, writeMermaid } from '@errand/engine';
import { parseWithFixes, renderPrompt, showLiterals, toToolDefinitions, type ParseResult } from '@errand/protocol';
import { Queues, readToolUses } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiConfiguration } from '../api-tokens.js';
import { AnswerChecks } from '../control/answer-checks.js';
import { DryRuns } from '../tools/dry-runs.js';
import { previewWorkflow } from '../tools/preview-workflow.js';
import { problemsInReach } from '../tools/problems-in-reach.js';
import { toolDetails } from '../tools/details-of-tool.js';
import { Tagged } from './entity-tags.js';
import { Scope } from './guard-access.js';
import { pageOf } from './page-of.js';
import { ProblemError } from './problem-error.js';
import { wholeNumber } from './read-parameter.js';
import type { RequestScope } from './request-scope.js';
import { requireAgent } from './require-agent.js';
import { requireTool } from './require-tool.js';
import { CatalogueQuery, OneToolQuery, ParseRequest, PreviewRequest, PromptQuery, ToolQuery } from './tool-requests.js';

/** The catalogue, the prompt, and dry runs of texts and workflows. */
@Controller()
export class ToolsController {
  constructor(
    private readonly registry: Registry,
    private readonly dryRuns: DryRuns,
    private readonly answerChecks: AnswerChecks,
    private readonly queues: Queues,
    private readonly settings: ApiConfiguration,
  ) {}

  /** The catalogue by id; with `q`, the best match comes first. All filters apply together. Details have the use of each tool. */
  @Get(['v1/tools', 'api/tools'])
  @Tagged()
  async list(@Query() { agent, limit, cursor, details, ...filter }: CatalogueQuery, @Scope() { tenant }: RequestScope) {
    const tools = this.registry.list({ ...filter, agent: requireAgent(this.registry, agent) });
    const page = pageOf(tools, ({ toolId }) => toolId, {
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
    });
    if (details !== 'true') return { ...page, items: page.items.map((tool) => this.catalogued(tool)) };
    const uses = await readToolUses(this.queues, tenant);
    const items = page.items.map((tool) => {
      const stats = uses.get(tool.toolId) ?? { calls: 0, failed: 0, lastUsedAt: null };
      return { ...this.catalogued(tool), ...toolDetails(tool, this.registry), stats };
    });
    return { ...page, items };
  }

  /** The invalid files of the library, with their problems. */
  @Get('v1/tools/problems')
  @Tagged()
  problems(@Scope() scope: RequestScope) {
    const items = problemsInReach(this.registry.problems(), this.settings.ERRAND_LIBRARY, scope);
    return { items, nextCursor: null };
  }

  /** The tools, those that match `q`, or one, as text for a system prompt or as the tool definitions of another API. */
  @Get('v1/tools/prompt')
  @Tagged()
  prompt(
    @Query() { agent, format = 'action', maxChars, toolId, q, limit }: PromptQuery,
    @Res() reply: FastifyReply,
  ): void {
    const view = { agent: requireAgent(this.registry, agent) };
    const fitting =
      toolId === undefined ? this.registry.list({ q, ...view }) : [requireTool(this.registry, toolId, view)];
    const { items: tools } = pageOf(fitting, ({ toolId: id }) => id, { ...(limit !== undefined && { limit }) });
    if (format !== 'action' && format !== 'tam') return void reply.send(toToolDefinitions(tools, format));
    const budget = maxChars === undefined ? {} : { maxChars: wholeNumber('maxChars', maxChars, 0) };
    void reply.header('content-type', 'text/plain; charset=utf-8').send(renderPrompt({ tools, format, ...budget }));
  }

  /** The tool that a workflow would become. Nothing is stored. */
  @Post('v1/tools/preview')
  @HttpCode(200)
  preview(@Body() { workflowId, workflow }: PreviewRequest, @Scope() scope: RequestScope) {
    const given = { workflowId, workflow: workflow as unknown as StoredWorkflow };
    return previewWorkflow(this.registry, given, (schemas) => this.answerChecks.faultsOf(schemas, scope.tenant));
  }

  /** One tool with all its versions: the newest stable one, or the one in the id. */
  @Get('v1/tools/:id')
  @Tagged()
  one(@Param('id') id: string, @Query() { agent, details }: OneToolQuery) {
    const scope = { agent: requireAgent(this.registry, agent) };
    const tool = requireTool(this.registry, id, scope);
    const versions = this.registry.versions(tool.toolId, scope).map(({ version }) => version);
    return { ...this.catalogued(tool), ...(details === 'true' && toolDetails(tool, this.registry)), versions };
  }

  /** The nodes and connections of a workflow, as data and as Mermaid text. A node is a graph with one node. */
  @Get('v1/tools/:id/graph')
  @Tagged()
  draw(@Param('id') id: string, @Query() { agent }: ToolQuery): ToolGraph {
    const tool = requireTool(this.registry, id, { agent: requireAgent(this.registry, agent) });
    const drawing = this.drawingOf(tool);
    return { toolId: tool.toolId, version: tool.version, ...drawing, mermaid: writeMermaid(drawing) };
  }

  /**
   * Parses a text without enqueuing anything: its calls, or its errors with their positions. Arguments are shown as the tools get them:
   * `\{{steps.1.result}}` without its backslash.
   */
  @Post('v1/parse')
  @HttpCode(200)
  async parse(
    @Body() { text, protocol, agent, tools }: ParseRequest,
    @Scope() { tenant }: RequestScope,
    @Res({ passthrough: true }) { raw }: FastifyReply,
  ) {
    const options = { ...(protocol && { protocol }), places: true };
    if (!tools) {
      return shown(
        parseWithFixes(text, { tools: this.registry.toolLookup(requireAgent(this.registry, agent)), ...options }),
      );
    }
    const disconnected = new AbortController();
    raw.once('close', () => disconnected.abort(new Error('the client has disconnected')));
    return shown(await this.dryRuns.run({ text, tools, ...options }, tenant, disconnected.signal));
  }

  /** The public part of a tool, without its implementation. */
  private catalogued(tool: Tool) {
    const { implementation, limits, reuse, effects, securityContext, digest, ...interfaceOfTool } = tool;
    const node = implementation.type === 'node' ? this.registry.nodeTypes.get(implementation.nodeType) : undefined;
    return {
      ...interfaceOfTool,
      ...(node && { inputs: node.inputs, outputs: node.outputs }),
      ...(node?.otherInputs && { otherInputs: node.otherInputs }),
      links: { self: `/v1/tools/${encodeURIComponent(tool.toolId)}`, invoke: '/v1/invocations' },
    };
  }

  private drawingOf({ toolId, kind, implementation }: Tool): Drawing {
    const workflow =
      implementation.type === 'workflow'
        ? this.registry.workflows.get(implementation.workflowId)
        : implementation.type === 'node'
          ? this.nodeAlone(implementation.nodeType)
          : undefined;
    if (workflow) return drawGraph(workflow, this.registry);
    throw new ProblemError('conflict', `${toolId} is of the kind '${kind}'; only workflows and nodes have a graph`);
  }

  private nodeAlone(type: string): StoredWorkflow | undefined {
    const nodeType = this.registry.nodeTypes.get(type);
    return nodeType && { nodes: workflowOfNode(nodeType, {}).nodes.slice(0, 1), edges: [] };
  }
}

function shown({ calls, places = [], ...parsed }: ParseResult): Omit<ParseResult, 'places'> {
  return {
    ...parsed,
    calls: calls.map((call, index) => ({ ...call, arguments: showLiterals(call.arguments), ...places[index] })),
  };
}
