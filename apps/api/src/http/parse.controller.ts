import { parse, showLiterals } from '@errand/protocol';
import { Registry, toolBookOf } from '@errand/registry';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { requireAgent } from '../require-agent.js';
import { ParseRequest } from './tool-requests.js';

@Controller('v1/parse')
export class ParseController {
  constructor(private readonly registry: Registry) {}

  /**
   * A dry run: what would be called, or what is wrong and where. Nothing is enqueued. Arguments are shown as the tools get
   * them: `\{{steps.1.result}}` without its backslash.
   */
  @Post()
  @HttpCode(200)
  parse(@Body() { text, protocol, agent, tools }: ParseRequest) {
    const book = tools ? toolBookOf(tools) : this.registry.toolBook(requireAgent(this.registry, agent));
    const { calls, ...parsed } = parse(text, { tools: book, ...(protocol && { protocol }) });
    return { ...parsed, calls: calls.map((call) => ({ ...call, arguments: showLiterals(call.arguments) })) };
  }
}
