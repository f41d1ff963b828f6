import { didYouMean } from '@errand/contracts';
import { FIRST_TENANTS, queueNames, Queues, readQueue, type ShownQueue, type TenantPage } from '@errand/queue';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { QueueQuery } from './control-requests.js';
import { Scope } from './guard-access.js';
import { ProblemError } from './problem-error.js';
import { wholeNumber } from './read-parameter.js';
import type { RequestScope } from './request-scope.js';

/** The queues, and the work that tenants have in them. The operator sees every tenant, others see their own work. */
@Controller('v1/queues')
export class QueuesController {
  constructor(private readonly queues: Queues) {}

  @Get()
  async list(@Scope() { reach }: RequestScope): Promise<{ items: ShownQueue[]; nextCursor: null }> {
    const names = await queueNames(this.queues);
    return { items: await Promise.all(names.map((name) => readQueue(this.queues, name, reach))), nextCursor: null };
  }

  @Get(':name')
  async one(
    @Scope() { reach }: RequestScope,
    @Param('name') name: string,
    @Query() query: QueueQuery,
  ): Promise<ShownQueue> {
    const page = pageOfTenants(query);
    const names = await queueNames(this.queues);
    const found = names.find((each) => each === name);
    if (found !== undefined) return readQueue(this.queues, found, reach, page);
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
