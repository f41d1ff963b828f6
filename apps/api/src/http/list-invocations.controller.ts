import type { Invocation } from '@errand/contracts';
import { listInvocations, Queues } from '@errand/queue';
import { Controller, Get, Query } from '@nestjs/common';
import { AnswerInvocation } from '../answer-invocation.js';
import { Tenant } from './guard-access.js';
import type { Page } from './page-of.js';
import { readListQuery, toCursor } from './read-list-query.js';

@Controller('v1/invocations')
export class ListInvocationsController {
  constructor(
    private readonly answer: AnswerInvocation,
    private readonly queues: Queues,
  ) {}

  /** What was accepted, newest first; without the words for a model, and without the nodes of steps. */
  @Get()
  async list(@Tenant() tenant: string, @Query() query: Record<string, unknown>): Promise<Page<Invocation>> {
    const { sought, ...place } = readListQuery(query);
    const { items, next } = await listInvocations(this.queues, tenant, sought, place);
    const shown = items.map((item) => ({ ...this.answer.of(item), observation: null }));
    return { items: shown, nextCursor: toCursor(sought, next) };
  }
}
