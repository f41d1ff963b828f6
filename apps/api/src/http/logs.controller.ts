import { Readable } from 'node:stream';
import type { LogLine } from '@errand/contracts';
import { Queues, readLogLines, readLogPage } from '@errand/queue';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { LogsQuery } from './control-requests.js';
import { findInvocation } from './find-invocation.js';
import { Scope } from './guard-access.js';
import { readLimit, wholeNumber } from './read-parameter.js';
import type { RequestScope } from './request-scope.js';

/** Default and highest number of lines in one response. */
const LARGEST_PAGE = 10_000;

/** Reads what scripts and nodes of an invocation have logged. */
@Controller('v1/invocations/:id/logs')
export class LogsController {
  constructor(private readonly queues: Queues) {}

  /** A page of the lines that fit, or all of them as a file of plain text. */
  @Get()
  async read(
    @Scope() { reach }: RequestScope,
    @Param('id') id: string,
    @Query() { after, limit, q, step, format }: LogsQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const filter = {
      after: wholeNumber('after', after, 0),
      step: step === undefined ? undefined : wholeNumber('step', step, 0),
      text: q,
    };
    const most = readLimit(limit, LARGEST_PAGE, LARGEST_PAGE);
    const invocation = await findInvocation(this.queues, reach, id);
    if (format !== 'text') return void reply.send(await readLogPage(this.queues, invocation.id, filter, most));
    void reply
      .header('content-type', 'text/plain; charset=utf-8')
      .header('content-disposition', `attachment; filename="${invocation.id}.log"`)
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "sandbox; default-src 'none'")
      .header('cache-control', 'private, no-store')
      .send(Readable.from(asText(readLogLines(this.queues, invocation.id, filter))));
  }
}

async function* asText(groups: AsyncIterable<readonly LogLine[]>): AsyncGenerator<string> {
  for await (const lines of groups) yield lines.map(({ line }) => `${line}\n`).join('');
}
