import { didYouMean, partialOf, type QueueList, type QueuePause, type ShownQueue } from '@errand/contracts';
import {
  FIRST_TENANTS,
  nextJobs,
  pauseQueue,
  queueNames,
  Queues,
  readQueue,
  resumeQueue,
  type TenantPage,
} from '@errand/queue';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { cleanReason } from '../control/clean-reason.js';
import { Callers } from '../login/callers.js';
import { requireOperator, requireScope } from '../login/require-scope.js';
import { PauseRequest, QueueQuery } from './control-requests.js';
import { ProblemError } from './problem-error.js';
import { wholeNumber } from './read-parameter.js';

/**
 * The queues, and the work that tenants have in them. The operator sees every tenant, others see their own work. Only the operator pauses
 * and resumes.
 */
@Controller('v1/queues')
export class QueuesController {
  constructor(
    private readonly queues: Queues,
    private readonly callers: Callers,
  ) {}

  @Get()
  async list(@Req() { caller, scope }: FastifyRequest): Promise<QueueList> {
    requireScope(caller, 'read');
    const names = await queueNames(this.queues);
    const items = await Promise.all(names.map((name) => readQueue(this.queues, name, scope.reach)));
    return { items, nextCursor: null, ...partialOf(items.find(({ partial }) => partial)?.missingShards) };
  }

  @Get(':name')
  async one(
    @Req() { caller, scope }: FastifyRequest,
    @Param('name') name: string,
    @Query() query: QueueQuery,
  ): Promise<ShownQueue> {
    requireScope(caller, 'read');
    const page = pageOfTenants(query);
    const queue = await this.find(name);
    const [shown, next] = await Promise.all([
      readQueue(this.queues, queue, scope.reach, page),
      nextJobs(this.queues, queue, scope.reach),
    ]);
    return { ...shown, next };
  }

  /** A queue that is paused keeps its first pause. */
  @Post(':name/pause')
  @HttpCode(200)
  async pause(
    @Req() { caller, scope }: FastifyRequest,
    @Param('name') name: string,
    @Body() { note }: PauseRequest,
  ): Promise<ShownQueue> {
    requireOperator(caller);
    const queue = await this.find(name);
    const by = await this.callers.subjectOf(caller);
    const pause: QueuePause = { at: new Date().toISOString(), by, note: cleanReason(note) || null };
    await pauseQueue(this.queues, queue, pause);
    return readQueue(this.queues, queue, scope.reach);
  }

  @Post(':name/resume')
  @HttpCode(200)
  async resume(@Req() { caller, scope }: FastifyRequest, @Param('name') name: string): Promise<ShownQueue> {
    requireOperator(caller);
    const queue = await this.find(name);
    await resumeQueue(this.queues, queue);
    return readQueue(this.queues, queue, scope.reach);
  }

  /** @throws ProblemError not_found */
  private async find(name: string): Promise<Parameters<typeof readQueue>[1]> {
    const names = await queueNames(this.queues);
    const found = names.find((each) => each === name);
    if (found !== undefined) return found;
    const nearest = didYouMean(name, names);
    const hint = nearest === undefined ? `the queues are ${names.join(', ')}` : `did you mean '${nearest}'?`;
    throw new ProblemError('not_found', `There is no queue '${name.slice(0, 80)}': ${hint}`);
  }
}

/** @throws ProblemError invalid_request for a malformed limit or cursor */
function pageOfTenants({ limit: text, cursor = FIRST_TENANTS.cursor }: QueueQuery): TenantPage {
  const limit = wholeNumber('limit', text, FIRST_TENANTS.limit);
  if (limit < 1 || limit > FIRST_TENANTS.limit)
    throw new ProblemError('invalid_request', `limit must be from 1 to ${FIRST_TENANTS.limit}, not ${limit}`);
  // A cursor of Redis has 64 bits. A forged one shows nothing more than the list itself.
  if (!/^\d{1,20}$/.test(cursor) || BigInt(cursor) >= 2n ** 64n)
    throw new ProblemError('invalid_request', 'cursor must be a nextCursor that this queue has given');
  return { limit, cursor };
}
