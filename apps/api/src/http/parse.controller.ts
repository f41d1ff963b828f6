import { parse, showLiterals, type ParseResult } from '@errand/protocol';
import { Registry } from '@errand/registry';
import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DryRuns } from '../dry-runs.js';
import { requireAgent } from '../require-agent.js';
import { Tenant } from './guard-access.js';
import { ParseRequest } from './tool-requests.js';

@Controller('v1/parse')
export class ParseController {
  constructor(
    private readonly registry: Registry,
    private readonly dryRuns: DryRuns,
  ) {}

  /**
   * A dry run: what would be called, or what is wrong and where. Nothing is enqueued. Arguments are shown as the tools get
   * them: `\{{steps.1.result}}` without its backslash.
   */
  @Post()
  @HttpCode(200)
  async parse(
    @Body() { text, protocol, agent, tools }: ParseRequest,
    @Tenant() tenant: string,
    @Res({ passthrough: true }) { raw }: FastifyReply,
  ) {
    const options = protocol && { protocol };
    if (!tools) {
      return shown(parse(text, { tools: this.registry.toolBook(requireAgent(this.registry, agent)), ...options }));
    }
    const left = new AbortController();
    raw.once('close', () => left.abort(new Error('the caller has left')));
    return shown(await this.dryRuns.run({ text, tools, ...options }, tenant, left.signal));
  }
}

function shown({ calls, ...parsed }: ParseResult): ParseResult {
  return { ...parsed, calls: calls.map((call) => ({ ...call, arguments: showLiterals(call.arguments) })) };
}
