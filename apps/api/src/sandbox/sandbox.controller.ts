import type { SandboxReport } from '@errand/contracts';
import { Queues, readSandboxReports, requestSandboxCheck } from '@errand/queue';
import { Controller, Get, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Page } from '../http/page-of.js';
import { requireOperator, requireScope } from '../login/require-scope.js';

/** The attack runs of the script-runners. */
@Controller('v1/sandbox')
export class SandboxController {
  constructor(private readonly queues: Queues) {}

  /** The last attack run of each script-runner. */
  @Get('report')
  async report(@Req() { caller }: FastifyRequest): Promise<Page<SandboxReport>> {
    requireScope(caller, 'read');
    return { items: await readSandboxReports(this.queues), nextCursor: null };
  }

  /** Every script-runner that is there attacks its sandbox. */
  @Post('check')
  @HttpCode(HttpStatus.ACCEPTED)
  async check(@Req() { caller }: FastifyRequest): Promise<{ status: 'requested' }> {
    requireOperator(caller);
    await requestSandboxCheck(this.queues);
    return { status: 'requested' };
  }
}
