import type { InboxItem } from '@errand/contracts';
import { listWaits, Queues } from '@errand/queue';
import { Controller, Get, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Scope } from '../http/guard-access.js';
import type { Page } from '../http/page-of.js';
import type { RequestScope } from '../http/request-scope.js';
import { requireScope } from '../login/require-scope.js';
import { InboxQuery, readInboxQuery } from './read-inbox-query.js';
import { toInboxItem } from './to-inbox-item.js';

/** A page of the inbox. */
interface InboxPage extends Page<InboxItem> {
  /** Some shards did not answer: their waits are missing in the list. */
  partial?: true;
  missingShards?: string[];
}

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
  ): Promise<InboxPage> {
    requireScope(caller, 'read');
    const { sought, toCursor, ...page } = readInboxQuery(scope.tenant, query);
    if (query.kind !== undefined && query.kind !== 'answer') return { items: [], nextCursor: null };
    const { items, next, missing } = await listWaits(this.queues, scope.tenant, sought, page);
    return {
      items: items.map((wait) => toInboxItem(wait, scope)),
      nextCursor: toCursor(next),
      ...(missing && { partial: true, missingShards: missing }),
    };
  }
}
