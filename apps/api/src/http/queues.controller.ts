import { didYouMean } from '@errand/contracts';
import { queueNames, Queues, readQueue, type ShownQueue } from '@errand/queue';
import { Controller, Get, Param } from '@nestjs/common';
import { Scope } from './guard-access.js';
import { ProblemError } from './problem-error.js';
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
  async one(@Scope() { reach }: RequestScope, @Param('name') name: string): Promise<ShownQueue> {
    const names = await queueNames(this.queues);
    const found = names.find((each) => each === name);
    if (found !== undefined) return readQueue(this.queues, found, reach);
    const nearest = didYouMean(name, names);
    const hint = nearest === undefined ? `the queues are ${names.join(', ')}` : `did you mean '${nearest}'?`;
    throw new ProblemError('not_found', `There is no queue '${name.slice(0, 80)}': ${hint}`);
  }
}
