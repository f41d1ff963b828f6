import type { Tool } from '@errand/contracts';
import { renderPrompt, toToolDefinitions } from '@errand/protocol';
import { Registry } from '@errand/registry';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { requireAgent } from '../require-agent.js';
import { ProblemError } from './problem-error.js';
import { CatalogueQuery, PromptQuery } from './requests.js';
import { wholeNumber } from './read-parameter.js';

@Controller()
export class ToolsController {
  constructor(private readonly registry: Registry) {}

  /** The catalogue; every filter narrows it. */
  @Get(['v1/tools', 'api/tools'])
  list(@Query() { agent, ...filter }: CatalogueQuery) {
    const tools = this.registry.list({ ...filter, agent: requireAgent(this.registry, agent) });
    return { items: tools.map((tool) => this.catalogued(tool)), nextCursor: null };
  }

  /** The files of the library that were left out, and why. */
  @Get('v1/tools/problems')
  problems() {
    return { items: this.registry.problems(), nextCursor: null };
  }

  /** The tools as text for a system prompt, or as the tool definitions of another API. */
  @Get('v1/tools/prompt')
  prompt(@Query() { agent, format = 'action', maxChars }: PromptQuery, @Res() reply: FastifyReply): void {
    const tools = this.registry.list({ agent: requireAgent(this.registry, agent) });
    if (format !== 'action' && format !== 'tam') return void reply.send(toToolDefinitions(tools, format));
    const budget = maxChars === undefined ? {} : { maxChars: wholeNumber('maxChars', maxChars, 0) };
    void reply.header('content-type', 'text/plain; charset=utf-8').send(renderPrompt({ tools, format, ...budget }));
  }

  /** One tool, the newest version unless the id names another, with all its versions. */
  @Get('v1/tools/:id')
  one(@Param('id') id: string, @Query('agent') agent?: string) {
    const scope = { agent: requireAgent(this.registry, agent) };
    const tool = this.registry.find(id, scope);
    if (!tool) {
      const suggestion = this.registry.suggest(id, scope);
      const hint = suggestion ? `, did you mean '${suggestion}'?` : '';
      throw new ProblemError('not_found', `There is no tool '${id.slice(0, 200)}'${hint}`);
    }
    return { ...this.catalogued(tool), versions: this.registry.versions(tool.toolId).map((each) => each.version) };
  }

  /** The tool as callers see it: not what runs it. */
  private catalogued(tool: Tool) {
    const { implementation, limits, reuse, effects, securityContext, digest, ...interfaceOfTool } = tool;
    const node = implementation.type === 'node' ? this.registry.nodeTypes.get(implementation.nodeType) : undefined;
    return { ...interfaceOfTool, ...(node && { inputs: node.inputs, outputs: node.outputs }) };
  }
}
