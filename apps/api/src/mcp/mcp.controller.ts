import { Registry } from '@errand/registry';
import { didYouMean, isDeeperThan, MAX_DEPTH } from '@errand/contracts';
import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '../http/problem-error.js';
import { McpEndpoint } from './mcp-endpoint.js';

/** A message adds a few levels around the arguments of a call. */
const MAX_BODY_DEPTH = MAX_DEPTH + 8;

/** The MCP server: all tools, or the inventory of one agent. `GET` and `DELETE` are 405, because there are no sessions. */
@Controller('mcp')
export class McpController {
  constructor(
    private readonly endpoint: McpEndpoint,
    private readonly registry: Registry,
  ) {}

  @Post()
  serve(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireFlat(request.body);
    return this.endpoint.serve(request, reply, undefined);
  }

  @Post(':agent')
  serveAgent(@Param('agent') agent: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireFlat(request.body);
    if (!this.registry.hasAgent(agent)) throw unknownAgent(agent, this.registry.agentIds());
    return this.endpoint.serve(request, reply, agent);
  }
}

/** The SDK reads messages recursively. */
function requireFlat(body: unknown): void {
  if (isDeeperThan(body, MAX_BODY_DEPTH))
    throw new ProblemError('invalid_request', `The message nests deeper than ${MAX_BODY_DEPTH} levels`);
}

function unknownAgent(agent: string, known: readonly string[]): ProblemError {
  const suggestion = didYouMean(agent, known);
  const hint = suggestion === undefined ? '' : `, did you mean '${suggestion}'?`;
  return new ProblemError('not_found', `Unknown agent '${agent.slice(0, 80)}'${hint}`);
}
