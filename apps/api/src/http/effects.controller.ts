import { partialOf, type EffectEntry } from '@errand/contracts';
import { listEffects, Queues, readInvocation, type StoredEffect } from '@errand/queue';
import { Controller, Get, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { requireScope } from '../login/require-scope.js';
import { Scope } from './guard-access.js';
import { readKeysetCursor, toKeysetCursor } from './keyset-cursor.js';
import { EffectsQuery } from './list-requests.js';
import type { PartialPage } from './page-of.js';
import { limitOf } from './read-parameter.js';
import type { RequestScope } from './request-scope.js';

/** The form of a position: a time in ms, and the digest of an effect. */
const POSITION = /^\d{15}:[0-9a-f]{64}$/;

/** The ledger of tools with `effects: "once"`: each effect of a session, with the equal calls that did not run again. */
@Controller('v1/effects')
export class EffectsController {
  constructor(private readonly queues: Queues) {}

  @Get()
  async list(
    @Req() { caller }: FastifyRequest,
    @Scope() { tenant }: RequestScope,
    @Query() { session, toolId, limit, cursor }: EffectsQuery,
  ): Promise<PartialPage<EffectEntry>> {
    requireScope(caller, 'read');
    const query = { ...(session !== undefined && { session }), ...(toolId !== undefined && { toolId }) };
    const owner = { list: 'effects', tenant, query };
    const page = { limit: limitOf(limit, 20), after: readKeysetCursor(cursor, owner, POSITION) };
    const { items, next, missing } = await listEffects(this.queues, tenant, query, page);
    return {
      items: await Promise.all(items.map((item) => this.withStatus(tenant, item))),
      nextCursor: toKeysetCursor(owner, next),
      ...partialOf(missing),
    };
  }

  private async withStatus(tenant: string, effect: StoredEffect): Promise<EffectEntry> {
    const { invocationId, step, ...rest } = effect;
    const owner = await readInvocation(this.queues, tenant, invocationId);
    return { ...rest, invocationId, step, status: owner?.steps[step]?.status ?? null };
  }
}
