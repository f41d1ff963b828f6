import type { ProcessList, ShownProcess } from '@errand/contracts';
import { drainProcess, findProcess, listProcesses, Queues } from '@errand/queue';
import { Controller, Get, HttpCode, HttpStatus, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Callers } from '../login/callers.js';
import { requireOperator, requireScope } from '../login/require-scope.js';
import { ProblemError } from './problem-error.js';

/** The processes of Errand and the jobs that they run. The operator sees every job and may drain; others see their own jobs. */
@Controller('v1/processes')
export class ProcessesController {
  constructor(
    private readonly queues: Queues,
    private readonly callers: Callers,
  ) {}

  @Get()
  async list(@Req() { caller, scope }: FastifyRequest): Promise<ProcessList> {
    requireScope(caller, 'read');
    return listProcesses(this.queues, scope.reach);
  }

  @Get(':id')
  async one(@Req() { caller, scope }: FastifyRequest, @Param('id') id: string): Promise<ShownProcess> {
    requireScope(caller, 'read');
    return (await findProcess(this.queues, id, scope.reach)) ?? unknown(id);
  }

  /** The process ends what it has and takes nothing new. It does not exit. */
  @Post(':id/drain')
  @HttpCode(HttpStatus.ACCEPTED)
  async drain(@Req() { caller, scope }: FastifyRequest, @Param('id') id: string): Promise<ShownProcess> {
    requireOperator(caller);
    const found = (await findProcess(this.queues, id, scope.reach)) ?? unknown(id);
    const refusal = refusalOf(found);
    if (refusal !== undefined) throw new ProblemError('conflict', refusal);
    await drainProcess(this.queues, id, await this.callers.subjectOf(caller));
    return { ...found, state: 'draining' };
  }
}

/** Why a process cannot drain. */
function refusalOf({ id, kind, state, lastSeenAt }: ShownProcess): string | undefined {
  if (state === 'lost') return `${id} is lost: its last heartbeat came at ${lastSeenAt}`;
  if (kind === 'api')
    return `${id} is an API, which has no jobs. To end it, take it out of your load balancer and send it SIGTERM: it responds to its running requests first`;
  return undefined;
}

function unknown(id: string): never {
  const detail = `There is no process '${id.slice(0, 80)}'. GET /v1/processes lists those that live, and those that were lost in the last hour`;
  throw new ProblemError('not_found', detail);
}
