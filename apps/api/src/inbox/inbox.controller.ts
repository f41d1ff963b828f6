import { partialOf, type InboxItem } from '@errand/contracts';
import { listWaits, Queues } from '@errand/queue';
import { Controller, Get, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Scope } from '../http/guard-access.js';
import type { PartialPage } from '../http/page-of.js';
import type { RequestScope } from '../http/request-scope.js';
import { requireScope } from '../login/require-scope.js';
import { InboxQuery, readInboxQuery } from './read-inbox-query.js';
import { toInboxItem } from './to-inbox-item.js';

/** What waits for a person. */
@Controller('v1/inbox')
export class InboxController {
  constructor(private readonly queues: Queues) {}

  /** Soonest deadline first. Kinds whose feature is absent have no items. */
  @Get()
  async list(
    @Scope() scope: RequestScope,
    @Req() { caller }: FastifyRequest,
    @Query() query: InboxQuery,
  ): Promise<PartialPage<InboxItem>> {
    requireScope(caller, 'read');
    const { sought, toCursor, ...page } = readInboxQuery(scope.tenant, query);
    if (query.kind !== undefined && query.kind !== 'answer') return { items: [], nextCursor: null };
    const { items, next, missing } = await listWaits(this.queues, scope.tenant, sought, page);
    return {
      items: items.map((wait) => toInboxItem(wait, scope)),
      nextCursor: toCursor(next),
      ...partialOf(missing),
    };
  }
}
