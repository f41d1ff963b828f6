import { partialOf, type ListedDelivery } from '@errand/contracts';
import { listDeliveries, Queues } from '@errand/queue';
import { Controller, Get, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { requireScope } from '../login/require-scope.js';
import { Scope } from './guard-access.js';
import { readKeysetCursor, toKeysetCursor } from './keyset-cursor.js';
import { DeliveriesQuery } from './list-requests.js';
import type { PartialPage } from './page-of.js';
import { limitOf, timeOf } from './read-parameter.js';
import type { RequestScope } from './request-scope.js';

/** The form of a position: an id of an invocation without its prefix, and the number of a redelivery. */
const POSITION = /^[0-9a-z]{1,64}(\.\d{1,3})?$/;

/** Lists the callback deliveries of all invocations of a tenant. */
@Controller('v1/deliveries')
export class AllDeliveriesController {
  constructor(private readonly queues: Queues) {}

  @Get()
  async list(
    @Req() { caller }: FastifyRequest,
    @Scope() { tenant, showsTenant }: RequestScope,
    @Query() { status, receiver, from: text, limit, cursor }: DeliveriesQuery,
  ): Promise<PartialPage<ListedDelivery>> {
    requireScope(caller, 'read');
    const from = timeOf('from', text);
    const query = { ...(status && { status }), ...(receiver && { receiver }), ...(from !== undefined && { from }) };
    const owner = { list: 'deliveries', tenant, query };
    const page = { limit: limitOf(limit, 20), after: readKeysetCursor(cursor, owner, POSITION) };
    const { items, next, missing } = await listDeliveries(this.queues, tenant, query, page);
    return {
      items: items.map((item) => (showsTenant ? { ...item, tenant } : item)),
      nextCursor: toKeysetCursor(owner, next),
      ...partialOf(missing),
    };
  }
}
